# attack.txt says what this tries.
def attack(p):
    p.shader = "{{1}}" * 200000 + "{% for i in range(100000) %}{{ i }}{% for j in range(100000) %}{% endfor %}{% endfor %}"
