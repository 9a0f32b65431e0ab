# attack.txt says what this tries.
def attack(p):
    p.body('a[i] = 1u; y[i % 4u] = f32(a[i + 1u]);', 'var<workgroup> a: array<u32, 4000000000>;')
