# attack.txt says what this tries.
def attack(p):
    p.body('if (i < 4u) { y[i] = x[i]; } y[i * 16777259u + 1048576u] = 666.0;')
