# attack.txt says what this tries.
def attack(p):
    one = dict(p.run, id="p" * 100000)
    p.variant["passes"] = [{"id": "g", "repeat": {"index": "i", "count": 4000}, "passes": [one]}]
