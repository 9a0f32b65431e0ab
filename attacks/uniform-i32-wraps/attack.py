# attack.txt says what this tries.
def attack(p):
    p.field('2 ** 31', 'i32')
