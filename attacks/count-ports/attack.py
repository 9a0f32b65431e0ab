# attack.txt says what this tries.
def attack(p):
    p.manifest["inputs"].update({f"x{i}": {"dtype": "float32", "optional": True} for i in range(64)})
