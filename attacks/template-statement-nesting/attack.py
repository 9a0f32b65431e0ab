# attack.txt says what this tries.
def attack(p):
    p.shader = "{% if 1 %}" * 1000 + "{% endif %}" * 1000
