# attack.txt says what this tries.
def attack(p):
    p.run["bindings"] += [{"name": f"b{i}", "arg": "x"} for i in range(30)]
