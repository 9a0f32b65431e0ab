# attack.txt says what this tries.
def attack(p):
    p.links["mem.wgsl"] = "/proc/self/mem"
    p.digests["mem.wgsl"] = "x"
