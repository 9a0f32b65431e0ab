# attack.txt says what this tries.
def attack(p):
    p.manifest["k" * (3 << 20)] = 1
