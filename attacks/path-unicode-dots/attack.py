# attack.txt says what this tries.
def attack(p):
    p.digests['．．／secret.wgsl'] = "x"
