# attack.txt says what this tries.
import json

def attack(p):
    p.files["manifest.json"] = json.dumps(p.manifest).ljust((4 << 20) + 1)
