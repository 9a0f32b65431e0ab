# attack.txt says what this tries.
def attack(p):
    p.flags = ["--timeout", "0.5"]
    p.run["dispatch"] = {"x": 65535, "y": 65535}
    p.body("y[i % 4u] = f32(i);")
