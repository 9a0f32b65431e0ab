# attack.txt says what this tries.
import json

def attack(p):
    p.manifest["attributes"]["n"]["default"] = float("nan")
