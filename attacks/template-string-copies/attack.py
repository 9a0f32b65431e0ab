# attack.txt says what this tries.
def attack(p):
    p.shader = "{% set s = '" + "x" * 1000000 + "' %}{% for i in range(100000) %}{% set t = s ~ i %}{% endfor %}"
