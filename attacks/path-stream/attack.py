# attack.txt says what this tries.
def attack(p):
    p.digests['a.wgsl::$DATA'] = "x"
