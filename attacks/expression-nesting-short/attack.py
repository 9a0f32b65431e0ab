# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "(" * 5000 + "1" + ")" * 5000
    p.field("d")
