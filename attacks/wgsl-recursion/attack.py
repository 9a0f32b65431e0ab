# attack.txt says what this tries.
def attack(p):
    p.body('y[i % 4u] = f(1.0);', 'fn f(a: f32) -> f32 { return f(a); }')
