# attack.txt says what this tries.
def attack(p):
    p.run["dispatch"] = {'threads': '1 / 0', 'workgroupSize': 64}
