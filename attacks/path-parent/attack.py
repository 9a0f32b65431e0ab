# attack.txt says what this tries.
def attack(p):
    p.digests['../../../etc/passwd'] = "x"
