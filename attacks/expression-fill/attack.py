# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "fill(1, 1000000000)"
    p.field("d")
