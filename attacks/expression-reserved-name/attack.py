# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["attrs"] = "1"
