# attack.txt says what this tries.
def attack(p):
    p.variant["intermediates"] = [{"id": f"s{i}", "dtype": "float32", "shape": "[1]"} for i in range(257)]
