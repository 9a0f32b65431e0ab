# attack.txt says what this tries.
def attack(p):
    p.shader = '{% set l = range(90000) %}{% for i in range(1000) %}{% set s = l|join("") %}{% endfor %}'
