# attack.txt says what this tries.
import os

def attack(p):
    p.shader = '{% include "hidden.wgsl" %}'

    def add(root):
        with open(os.path.join(root, "hidden.wgsl"), "w") as file:
            file.write("x")

    p.after = add
