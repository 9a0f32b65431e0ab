# attack.txt says what this tries.
import json

def attack(p):
    p.manifest["description"] = [[]] * 1_000_000
    p.files["manifest.json"] = json.dumps(p.manifest, separators=(",", ":"))
