# attack.txt says what this tries.
def attack(p):
    p.files["metadata.json"] = " " * (2 << 20)
