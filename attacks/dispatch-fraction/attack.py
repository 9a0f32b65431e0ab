# attack.txt says what this tries.
def attack(p):
    p.run["dispatch"] = {'x': '1 / 2'}
