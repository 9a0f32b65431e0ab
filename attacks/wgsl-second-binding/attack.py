# attack.txt says what this tries.
def attack(p):
    p.body("w[i % 4u] = 1.0; y[i % 4u] = 1.0;", "@group(0) @binding(0) var<storage, read_write> w: array<f32>;")
