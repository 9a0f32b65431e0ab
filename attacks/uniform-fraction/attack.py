# attack.txt says what this tries.
def attack(p):
    p.field('1.5', 'i32')
