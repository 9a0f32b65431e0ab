# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = c0;", "".join(f"const c{i} = c{i + 1};\n" for i in range(2000)) + "const c2000 = 1.0;")
