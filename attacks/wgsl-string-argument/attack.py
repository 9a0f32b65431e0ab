# attack.txt says what this tries.
def attack(p):
    p.manifest["attributes"]["t"] = {}
    p.request = {"attrs": {"t": "f32; @group(3) @binding(0) var<storage> q: array<f32>"}}
    p.body("var a: {{ attrs.t }}; y[i % 4u] = 1.0;")
