# attack.txt says what this tries.
def attack(p):
    p.body('y[i % 4u] = x[i * 16777259u + 1048576u];')
