# attack.txt says what this tries.
import json

def attack(p):
    text = json.dumps(p.manifest)
    p.files["manifest.json"] = text[:-1] + ', "variants": []}'
