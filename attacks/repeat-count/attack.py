# attack.txt says what this tries.
def attack(p):
    p.variant["passes"] = [{"id": "g", "repeat": {"index": "i", "count": 65536}, "passes": [p.run]}]
