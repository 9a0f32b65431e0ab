# attack.txt says what this tries.
import os

def attack(p):
    def change(root):
        with open(os.path.join(root, "manifest.json"), "a") as file:
            file.write(" ")

    p.after = change
