# attack.txt says what this tries.
def attack(p):
    p.shader = "fn other() {}"
