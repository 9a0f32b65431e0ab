# attack.txt says what this tries.
def attack(p):
    p.manifest["domain"] = "ai.\u043ennx"
