# attack.txt says what this tries.
def attack(p):
    p.shader = "{% for i in range(100000) %}" + "x" * 100 + "{% endfor %}"
