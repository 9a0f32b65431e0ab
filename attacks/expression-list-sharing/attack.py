# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["d0"] = "[1]"
    for i in range(100):
        p.manifest["derive"][f"d{i + 1}"] = f"[d{i}, d{i}]"
    p.field("1 if d100 == d99 else (d100|join|length)")
