# attack.txt says what this tries.
def attack(p):
    p.manifest["typeConstraints"] = {f"k{i}": 1 for i in range(100_000)}
