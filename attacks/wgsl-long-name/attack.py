# attack.txt says what this tries.
def attack(p):
    p.body("let " + "a" * 1000000 + " = ;")
