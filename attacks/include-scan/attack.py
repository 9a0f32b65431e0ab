# attack.txt says what this tries.
def attack(p):
    p.files["empty.wgsl.jinja"] = ""
    p.files["b.wgsl.jinja"] = "{% include" + " " * 1000000 + '"empty.wgsl.jinja" %}'
    p.shader = '{% include "b.wgsl.jinja" %}' * 9000
