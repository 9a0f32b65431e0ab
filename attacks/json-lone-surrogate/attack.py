# attack.txt says what this tries.
import json

def attack(p):
    p.files["manifest.json"] = json.dumps(p.manifest).replace("Attack", "Att\\ud800ck")
