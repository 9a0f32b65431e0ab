# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "1" + "+1" * 4000
