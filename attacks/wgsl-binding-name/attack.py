# attack.txt says what this tries.
def attack(p):
    p.run["bindings"][2]["name"] = "p: u32; @group(0) @binding(9) var<storage> q"
