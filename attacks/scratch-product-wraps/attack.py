# attack.txt says what this tries.
def attack(p):
    p.variant["intermediates"] = [{"id": "s", "dtype": "float32", "shape": "[2147483648, 2147483648, 4]"}]
    p.run["bindings"].append("s")
