# attack.txt says what this tries.
def attack(p):
    p.run["shader"] = "../../../../etc/passwd"
