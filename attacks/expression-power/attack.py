# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "9 ** 9 ** 9 ** 9"
    p.field("d")
