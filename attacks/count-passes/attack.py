# attack.txt says what this tries.
def attack(p):
    p.variant["passes"] = [dict(p.run, id=f"p{i}") for i in range(17)]
