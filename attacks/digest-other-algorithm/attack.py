# attack.txt says what this tries.
def attack(p):
    p.metadata = {"digest": {"algorithm": "md5"}}
