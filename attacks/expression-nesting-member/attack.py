# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "attrs" + ".a" * 4000
