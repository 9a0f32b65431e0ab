# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "'\x1b[2J\u202e\u0085' + + )"
