# attack.txt says what this tries.
def attack(p):
    p.run["shader"] = "a.wgsl.jinja\0.png"
