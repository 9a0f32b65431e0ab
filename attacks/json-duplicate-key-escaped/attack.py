# attack.txt says what this tries.
import json

def attack(p):
    p.files["manifest.json"] = json.dumps(p.manifest)[:-1] + ', "n\\u0061me": "Other"}'
