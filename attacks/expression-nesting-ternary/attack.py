# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "1 if 0 else " * 1000 + "1"
    p.field("d")
