# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["s"] = "'" + "x" * 8000 + "'|replace('', '" + "y" * 8000 + "')"
