# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["l"] = "fill(1, 90000)"
    for i in range(1000):
        p.manifest["derive"][f"d{i}"] = "l|sort|length"
