# attack.txt says what this tries.
def attack(p):
    p.links["d"] = "/etc"
    p.digests["d/hostname.wgsl"] = "x"
