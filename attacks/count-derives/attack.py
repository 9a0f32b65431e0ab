# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"] = {f"d{i}": 1 for i in range(1025)}
