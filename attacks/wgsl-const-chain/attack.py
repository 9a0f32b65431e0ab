# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = c0;", "".join(f"const c{i} = c{i + 1};\n" for i in range(10000)) + "const c10000 = 1.0;")
