# attack.txt says what this tries.
import os

def attack(p):
    def relink(root):
        os.remove(os.path.join(root, "metadata.json"))
        os.symlink("/dev/zero", os.path.join(root, "metadata.json"))

    p.after = relink
