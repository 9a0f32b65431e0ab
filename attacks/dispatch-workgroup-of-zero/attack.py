# attack.txt says what this tries.
def attack(p):
    p.run["dispatch"] = {'threads': 'numel(shapes.x)', 'workgroupSize': 0}
