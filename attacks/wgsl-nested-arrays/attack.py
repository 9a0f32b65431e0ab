# attack.txt says what this tries.
def attack(p):
    p.body('y[i % 4u] = f32(a[0][0][0]);', 'var<private> a: array<array<array<u32, 4294967295>, 4294967295>, 4294967295>;')
