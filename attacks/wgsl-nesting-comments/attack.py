# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = 1.0;", "/*" * 200000 + "*/" * 200000)
