# attack.txt says what this tries.
def attack(p):
    p.shader = "{{ " + "a " * 300000
