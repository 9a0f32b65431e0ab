# attack.txt says what this tries.
def attack(p):
    p.manifest["outputs"]["y"]["shape"] = "[4294967296, 4294967296]"
