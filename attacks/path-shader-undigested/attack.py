# attack.txt says what this tries.
import os

def attack(p):
    p.run["shader"] = "extra.wgsl"
    p.metadata = {"webgpu": {"variants": {"only": None, "other": ["a.wgsl.jinja"]}}}

    def add(root):
        with open(os.path.join(root, "extra.wgsl"), "w") as file:
            file.write("fn main() {}")

    p.after = add
