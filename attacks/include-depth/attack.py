# attack.txt says what this tries.
def attack(p):
    for i in range(30):
        p.files[f"i{i}.wgsl.jinja"] = '{%% include "i%d.wgsl.jinja" %%}' % (i + 1)
    p.files["i30.wgsl.jinja"] = ""
    p.shader = '{% include "i0.wgsl.jinja" %}'
