# attack.txt says what this tries.
def attack(p):
    p.body("y[i % 4u] = 1.0;", "{% for i in range(20000) %}fn f{{ i }}(a: f32) -> f32 { return a; }\n{% endfor %}")
