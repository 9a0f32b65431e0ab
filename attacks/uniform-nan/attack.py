# attack.txt says what this tries.
def attack(p):
    p.field('0 / 0', 'f32')
