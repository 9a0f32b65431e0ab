# attack.txt says what this tries.
def attack(p):
    p.files["b.wgsl.jinja"] = '{% include "a.wgsl.jinja" %}'
    p.shader = '{% include "b.wgsl.jinja" %}'
    p.metadata = {"webgpu": {"variants": {"only": ["a.wgsl.jinja", "b.wgsl.jinja"]}}}
