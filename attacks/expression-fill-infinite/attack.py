# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "fill(1, 1 / 0)"
    p.field("d")
