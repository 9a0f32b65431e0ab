# attack.txt says what this tries.
def attack(p):
    group = {"id": "e", "repeat": {"index": "z", "count": 0}, "passes": [p.run]}
    for name in "abcd":
        group = {"id": name, "repeat": {"index": f"i{name}", "count": 65535}, "passes": [group]}
    p.variant["passes"] = [group, dict(p.run, id="last")]
