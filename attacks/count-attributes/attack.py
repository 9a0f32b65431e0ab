# attack.txt says what this tries.
def attack(p):
    p.manifest["attributes"] = {f"a{i}": {"default": 1} for i in range(257)}
