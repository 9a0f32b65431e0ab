# attack.txt says what this tries.
def attack(p):
    p.files["con.wgsl"] = "x"
