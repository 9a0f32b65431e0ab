# attack.txt says what this tries.
def attack(p):
    p.run["bindings"][0] = {
        "arg": "x",
        "elementType": "f32>; @group(0) @binding(9) var<storage, read_write> stolen: array<f32",
    }
