# attack.txt says what this tries.
def attack(p):
    p.links["loop.wgsl"] = "loop.wgsl"
    p.digests["loop.wgsl"] = "x"
