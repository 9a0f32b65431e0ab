# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "(" * 10000 + "1" + ")" * 10000
    p.field("d")
