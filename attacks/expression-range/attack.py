# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "range(1000000000)"
    p.field("d")
