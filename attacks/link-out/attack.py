# attack.txt says what this tries.
from package import digest

def attack(p):
    with open("/etc/hostname", "rb") as file:
        p.digests["secret.wgsl"] = digest(file.read())
    p.links["secret.wgsl"] = "/etc/hostname"
