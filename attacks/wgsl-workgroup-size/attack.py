# attack.txt says what this tries.
def attack(p):
    p.shader = "@compute @workgroup_size(65535, 65535, 64)\nfn main() {}"
