# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "1" + " " * (16 << 10)
    p.field("d")
