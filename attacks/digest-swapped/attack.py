# attack.txt says what this tries.
from package import digest

def attack(p):
    p.files["b.wgsl"] = "other"
    p.digests = {"a.wgsl.jinja": digest(b"other"), "b.wgsl": digest(p.shader.encode())}
