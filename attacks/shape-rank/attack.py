# attack.txt says what this tries.
def attack(p):
    p.manifest["outputs"]["y"]["shape"] = "fill(1, 33)"
