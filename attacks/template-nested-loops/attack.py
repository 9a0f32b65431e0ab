# attack.txt says what this tries.
def attack(p):
    p.shader = '{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}{% for d in range(10000) %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}'
