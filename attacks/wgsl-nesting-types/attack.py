# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = 1.0;", "var<private> a: " + "array<" * 10000 + "u32" + ", 1>" * 10000 + ";")
