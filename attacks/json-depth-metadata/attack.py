# attack.txt says what this tries.
def attack(p):
    p.files["metadata.json"] = '{"a":' * 100000 + "1" + "}" * 100000
