# attack.txt says what this tries.
def attack(p):
    p.shader = '{% set n = namespace(s=1) %}{% set n.s = n %}{{ n }}'
