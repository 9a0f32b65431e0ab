# attack.txt says what this tries.
def attack(p):
    p.manifest["outputs"]["y"]["shape"] = "[0.5]"
