# attack.txt says what this tries.
def attack(p):
    functions = [f"fn g{i}() -> f32 {{ return g{i + 1}(); }}\n" for i in range(2000)]
    p.flags = ["--timeout", "20"]
    p.body("y[i % 4u] = g0();", "".join(functions) + "fn g2000() -> f32 { return 1.0; }")
