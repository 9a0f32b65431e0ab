# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = " + "(" * 100000 + "1.0" + ")" * 100000 + ";")
