# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["T"] = "'$T'"
    p.run["bindings"][0] = {"arg": "x", "elementType": "$T"}
