# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "-" * 8000 + "1"
    p.field("d")
