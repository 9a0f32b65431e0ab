# attack.txt says what this tries.
from package import digest

def attack(p):
    text = "x" * (1 << 20)
    p.files["big.wgsl"] = text
    for i in range(5000):
        p.links[f"n{i}.wgsl"] = "big.wgsl"
        p.digests[f"n{i}.wgsl"] = digest(text.encode())
