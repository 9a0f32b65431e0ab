# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d"] = "''.__class__.__mro__[1].__subclasses__()"
