# attack.txt says what this tries.
def attack(p):
    p.manifest["outputs"]["y"]["shape"] = "[1]"
    p.run["dispatch"] = {"workgroups": 64}
    p.body("y[i * 1000003u] = 2.0; y[0] = 2.0;")
