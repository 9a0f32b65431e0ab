# attack.txt says what this tries.
def attack(p):
    p.run["bindings"][2]["struct"][0]["name"] = "a: u32 } struct Q { b"
