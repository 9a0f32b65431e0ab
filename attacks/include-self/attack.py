# attack.txt says what this tries.
def attack(p):
    p.shader = '{% include "a.wgsl.jinja" %}'
