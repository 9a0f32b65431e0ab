# attack.txt says what this tries.
def attack(p):
    p.manifest["tunables"] = {f"t{i}": {"default": 1} for i in range(1025)}
