# attack.txt says what this tries.
def attack(p):
    p.flags = ['--timeout', '1']
    p.body('y[i % 4u] = a[i];', 'const a = array<f32, 100000000>();')
