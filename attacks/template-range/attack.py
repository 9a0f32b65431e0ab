# attack.txt says what this tries.
def attack(p):
    p.shader = '{% for a in range(1000000000) %}{% endfor %}'
