# attack.txt says what this tries.
def attack(p):
    p.files["manifest.json"] = "[" * 100000 + "]" * 100000
