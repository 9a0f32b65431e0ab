# attack.txt says what this tries.
import os

def attack(p):
    p.after = lambda root: os.truncate(os.path.join(root, "manifest.json"), 1 << 40)
