# attack.txt says what this tries.
def attack(p):
    p.files["a./x.wgsl"] = "x"
