# attack.txt says what this tries.
def attack(p):
    p.run["bindings"][2]["struct"] = [{"name": f"f{i}", "type": "u32", "value": 1} for i in range(257)]
