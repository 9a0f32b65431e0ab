# attack.txt says what this tries.
def attack(p):
    for i in range(14):
        p.files[f"i{i}.wgsl.jinja"] = '{%% include "i%d.wgsl.jinja" %%}' % (i + 1) * 8
    p.files["i14.wgsl.jinja"] = ""
    p.shader = '{% include "i0.wgsl.jinja" %}'
