# attack.txt says what this tries.
def attack(p):
    p.flags = ["--timeout", "1"]
    p.body("{% for i in range(50000) %}y[(i + {{ i }}u) % 4u] += sin(x[i % 4u] * {{ i }}.0);\n{% endfor %}")
