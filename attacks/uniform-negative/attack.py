# attack.txt says what this tries.
def attack(p):
    p.field('0 - 1', 'u32')
