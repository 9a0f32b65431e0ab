# attack.txt says what this tries.
def attack(p):
    p.shader = "// " + "x" * 1000000 + "\n" + p.shader
    p.variant["passes"] = [{"id": "g", "repeat": {"index": "i", "count": 4000}, "passes": [p.run]}]
