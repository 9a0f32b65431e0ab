# attack.txt says what this tries.
def attack(p):
    p.body("if (i == 1u) { y[0] = 1.0; }" + " else if (i == 2u) { y[0] = 1.0; }" * 20000)
