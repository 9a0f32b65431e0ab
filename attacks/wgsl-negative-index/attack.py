# attack.txt says what this tries.
def attack(p):
    p.body('if (i < 4u) { y[i] = x[i]; } let k = i32(i) - 1000000; y[k] = 666.0;')
