# attack.txt says what this tries.
def attack(p):
    p.body("{ " * 50000 + "y[i % 4u] = 1.0;" + "} " * 50000)
