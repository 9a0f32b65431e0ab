# attack.txt says what this tries.
def attack(p):
    p.shader = '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'
