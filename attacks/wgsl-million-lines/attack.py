# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = 1.0;", "{% for i in range(10000) %}" + "\n" * 101 + "{% endfor %}")
