# attack.txt says what this tries.
def attack(p):
    p.digests['C:/Windows/win.ini'] = "x"
