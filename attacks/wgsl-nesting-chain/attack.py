# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = f32(i)" + " + f32(i)" * 50000 + ";")
