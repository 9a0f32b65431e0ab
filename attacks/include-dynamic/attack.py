# attack.txt says what this tries.
def attack(p):
    p.shader = '{% set f = "b.wgsl" %}{% include f %}'
