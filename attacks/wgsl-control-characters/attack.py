# attack.txt says what this tries.
def attack(p):
    p.body("let \x1b[2J\u202e = 1;")
