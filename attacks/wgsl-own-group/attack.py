# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = stolen[i];", "@group(1) @binding(0) var<storage, read_write> stolen: array<f32>;")
