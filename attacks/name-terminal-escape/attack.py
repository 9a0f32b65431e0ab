# attack.txt says what this tries.
def attack(p):
    p.metadata = {"name": "\x1b]0;owned\x07\x1b[2J"}
