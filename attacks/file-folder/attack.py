# attack.txt says what this tries.
import os

def attack(p):
    p.digests["folder.wgsl"] = "x"
    p.after = lambda root: os.mkdir(os.path.join(root, "folder.wgsl"))
