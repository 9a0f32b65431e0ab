# attack.txt says what this tries.
def attack(p):
    p.manifest["inputs"]["x\u200b"] = {"dtype": "float32"}
