# attack.txt says what this tries.
def attack(p):
    p.files["b.wgsl.jinja"] = "x" * 500000
    p.shader = '{% include "b.wgsl.jinja" %}' * 4
