# attack.txt says what this tries.
def attack(p):
    p.variant["intermediates"] = [{"id": "s", "dtype": "float32", "shape": "[2 ** 50]"}]
    p.run["bindings"].append("s")
