# attack.txt says what this tries.
def attack(p):
    p.flags = ['--timeout', '1']
    p.body('a[i] = 1u; y[i % 4u] = f32(a[i + 1u]);', 'var<private> a: array<u32, 268435456>;')
