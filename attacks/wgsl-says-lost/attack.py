# attack.txt says what this tries.
def attack(p):
    p.body("let a = ; // Parent device is lost")
