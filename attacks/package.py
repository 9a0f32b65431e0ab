# The harmless package that every attack starts from, y = x + x, and how it is written to a folder.
import base64
import hashlib
import json
import os

SHADER = """{{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < params.count) { y[id.x] = x[id.x] + x[id.x]; }
}
"""


class Package:
    """What an attack spoils. Raw bytes in `files` win over what `manifest`, `metadata` and `shader` would give."""

    def __init__(self):
        self.manifest = {
            "domain": "test",
            "name": "Attack",
            "inputs": {"x": {"dtype": "float32"}},
            "outputs": {"y": {"dtype": "float32", "shape": "shapes.x"}},
            "attributes": {"n": {"default": 1}},
            "derive": {},
            "variants": [
                {
                    "id": "only",
                    "passes": [
                        {
                            "id": "main",
                            "shader": "a.wgsl.jinja",
                            "bindings": [
                                "x",
                                "y",
                                {"name": "params", "struct": [{"name": "count", "type": "u32", "value": "numel(shapes.x)"}]},
                            ],
                            "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64},
                        }
                    ],
                }
            ],
        }
        self.shader = SHADER
        self.files = {}  # path below build/webgpu -> bytes or str, digested
        self.links = {}  # path below build/webgpu -> target of a symbolic link
        self.digests = {}  # path -> digest, over what the files have
        self.metadata = {}  # merged over the right metadata.json
        self.after = None  # called with the folder when all is written
        self.x = [1, 2, 3, 4]
        self.request = {}  # merged over the request
        self.flags = []  # further arguments of the command

    @property
    def variant(self):
        return self.manifest["variants"][0]

    @property
    def run(self):
        """The only pass."""
        return self.variant["passes"][0]

    def field(self, value, kind="u32"):
        """Makes the uniform of the pass this value."""
        self.run["bindings"][2]["struct"][0].update({"value": value, "type": kind})

    def body(self, code, before=""):
        """A shader with this body."""
        self.shader = (
            "{{ env.wgsl.resourceDeclarations }}\n" + before + "\n@compute @workgroup_size(64)\n"
            "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n  let i = id.x;\n" + code + "\n}\n"
        )

    def write(self, folder):
        root = os.path.join(folder, "build", "webgpu")
        os.makedirs(root)
        files = {"manifest.json": json.dumps(self.manifest), "a.wgsl.jinja": self.shader}
        files.update(self.files)
        metadata = {
            "name": "test.Attack",
            "version": 1,
            "backend": {"type": "webgpu"},
            "digest": {"algorithm": "sha256", "files": {}},
            "webgpu": {"manifestSpec": "2.1", "variants": {"only": ["a.wgsl.jinja"]}},
        }
        listed = metadata["digest"]["files"]
        for path, content in files.items():
            if content is None:  # listed elsewhere, or not there at all
                continue
            data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
            target = os.path.join(root, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(data)
            if path != "metadata.json":
                listed[path] = base64.b64encode(hashlib.sha256(data).digest()).decode()
        for path, target in self.links.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            os.symlink(target, os.path.join(root, path))
        listed.update(self.digests)
        merge(metadata, self.metadata)
        if "metadata.json" not in files:
            with open(os.path.join(root, "metadata.json"), "w", encoding="utf-8") as file:
                json.dump(metadata, file)
        if self.after:
            self.after(root)

    def request_text(self):
        request = {"inputs": {"x": {"dtype": "float32", "shape": [len(self.x)], "data": self.x}}}
        merge(request, self.request)
        return json.dumps(request)


def digest(data):
    """The digest that metadata.json gives for these bytes."""
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def merge(into, patch):
    """A JSON merge patch, in place."""
    for key, value in patch.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value
