# attack.txt says what this tries.
def attack(p):
    p.shader = "{% set s = '" + "x" * 500000 + "' %}{% set t = '" + "x" * 500000 + "' %}{% for i in range(100000) %}{% if s ~ '' == t %}{% endif %}{% endfor %}"
