# attack.txt says what this tries.
def attack(p):
    p.run["dispatch"] = {'x': '0 - 1'}
