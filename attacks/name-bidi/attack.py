# attack.txt says what this tries.
def attack(p):
    p.metadata = {"name": "test.\u202ekcattA"}
