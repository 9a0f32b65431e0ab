# attack.txt says what this tries.
import os

def attack(p):
    p.digests["pipe.wgsl"] = "x"
    p.after = lambda root: os.mkfifo(os.path.join(root, "pipe.wgsl"))
