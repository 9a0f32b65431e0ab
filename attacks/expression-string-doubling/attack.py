# attack.txt says what this tries.
def attack(p):
    long = "x" * 1000
    p.manifest["derive"]["s0"] = "'x'"
    for i in range(4):
        p.manifest["derive"][f"s{i + 1}"] = f"s{i}|replace('x', '{long}')"
