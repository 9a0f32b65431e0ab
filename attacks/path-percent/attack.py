# attack.txt says what this tries.
def attack(p):
    p.digests['%2e%2e/secret.wgsl'] = "x"
