# attack.txt says what this tries.
def attack(p):
    p.body('var n = 0u; loop { n = n + y_is(n); if (n == 4294967295u) { break; } } y[i] = f32(n);', 'fn y_is(n: u32) -> u32 { return u32(x[n % 4u]) * 0u + 2u; }')
