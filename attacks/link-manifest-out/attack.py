# attack.txt says what this tries.
import os

def attack(p):
    def relink(root):
        path = os.path.join(root, "manifest.json")
        outside = os.path.join(root, "..", "outside.json")
        os.rename(path, outside)
        os.symlink("../outside.json", path)

    p.after = relink
