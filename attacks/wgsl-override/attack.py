# attack.txt says what this tries.
def attack(p):
    p.body("a[i] = 1u; y[i % 4u] = f32(a[i]);", "override n: u32 = 4000000000u; var<workgroup> a: array<u32, n>;")
