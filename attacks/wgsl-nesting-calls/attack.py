# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = " + "abs(" * 20000 + "1.0" + ")" * 20000 + ";")
