# attack.txt says what this tries.
def attack(p):
    p.shader = "\x1b]0;owned\x07 \u202e {{ 1 + }}"
