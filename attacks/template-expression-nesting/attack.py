# attack.txt says what this tries.
def attack(p):
    p.shader = "{{ " + "(" * 10000 + "1" + ")" * 10000 + " }}"
