# attack.txt says what this tries.
def attack(p):
    p.files["NUL.d/x.wgsl"] = "x"
