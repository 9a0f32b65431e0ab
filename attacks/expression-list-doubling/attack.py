# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d0"] = "[1]"
    for i in range(60):
        p.manifest["derive"][f"d{i + 1}"] = f"d{i} + d{i}"
