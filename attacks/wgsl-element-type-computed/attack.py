# attack.txt says what this tries.
def attack(p):
    p.manifest["derive"]["E"] = "'f32>; @group(0) @binding(9) var<storage, read_write> stolen: array<f32'"
    p.run["bindings"][0] = {"arg": "x", "elementType": "$E"}
    p.body("y[i % 4u] = stolen[i];")
