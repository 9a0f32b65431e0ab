# attack.txt says what this tries.
def attack(p):
    functions = [f"fn g{i}(a: f32) -> f32 {{ return g{i + 1}(a) * g{i + 1}(a + {i}.0); }}\n" for i in range(40)]
    p.flags = ["--timeout", "1"]
    p.body("y[i % 4u] = g0(x[i % 4u]);", "".join(functions) + "fn g40(a: f32) -> f32 { return sin(a); }")
