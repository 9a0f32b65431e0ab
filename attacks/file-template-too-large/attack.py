# attack.txt says what this tries.
def attack(p):
    p.shader = p.shader.ljust((1 << 20) + 1)
