#!/usr/bin/env python3
"""Writes build/webgpu/metadata.json of a kernel package: identity, digests and the templates each variant needs.

usage: pack.py [--check] PACKAGE_DIR...

PACKAGE_DIR is the folder that holds build/webgpu/manifest.json (dialect 2.1). The output depends on the bytes of the
other files and on nothing else. With --check nothing is written: the exit status is 1 if a metadata.json is not what
this tool would write.
"""
import argparse
import base64
import hashlib
import json
import pathlib
import re
import sys

CONTRACT_VERSION = 1
INCLUDE = re.compile(r"""\{%\s*include\s+(?:"([^"]*)"|'([^']*)')\s*%\}""")
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def digest(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode("ascii")


def fill(text, record):
    """A variant id or shader path of a family with the values of one case put in."""
    return PLACEHOLDER.sub(lambda match: str(record.get(match[1], match[0])), text)


def shaders(steps):
    for step in steps:
        if "repeat" in step:
            yield from shaders(step["passes"])
        else:
            yield step["shader"]


def expanded(variants):
    """(variant id, [shader]) of every variant, families of `cases` expanded in place."""
    for entry in variants:
        if "axes" in entry:
            raise SystemExit("pack.py: families with axes are not supported; spell them as cases")
        for record in entry.get("cases", [{}]):
            for variant in entry["variants"] if "cases" in entry else [entry]:
                yield fill(variant["id"], record), [fill(path, record) for path in shaders(variant["passes"])]


def with_includes(root, path, seen):
    """`path` and every template it includes, each once, in the order of first use."""
    if path in seen:
        return seen
    seen.append(path)
    for match in INCLUDE.finditer((root / path).read_text(encoding="utf-8")):
        name = match[1] or match[2]
        base = (root / path).parent if name.startswith(".") else root
        with_includes(root, (base / name).resolve().relative_to(root.resolve()).as_posix(), seen)
    return seen


def metadata(package):
    root = package / "build" / "webgpu"
    manifest = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
    op = f"{manifest.get('domain', 'ai.onnx')}.{manifest['name']}"
    if package.name != op:
        raise SystemExit(f"pack.py: folder {package.name} is not named after its operator {op}")
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    digests = {name: digest((root / name).read_bytes()) for name in files if name != "metadata.json"}
    variants = {}
    for identifier, paths in expanded(manifest["variants"]):
        needed = []
        for path in paths:
            with_includes(root, path, needed)
        variants[identifier] = needed
    content = hashlib.sha256(json.dumps(digests, sort_keys=True).encode("ascii")).hexdigest()
    return {
        "name": op,
        "id": f"_{op.replace('.', '_').lower()}_webgpu_{content[:7]}",
        "version": CONTRACT_VERSION,
        "license": "apache-2.0",
        "backend": {"type": "webgpu"},
        "digest": {"algorithm": "sha256", "files": digests},
        "webgpu": {"manifestSpec": "2.1", "variants": variants},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="+", type=pathlib.Path, metavar="PACKAGE_DIR")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a metadata.json is out of date")
    args = parser.parse_args()
    stale = 0
    for package in args.packages:
        package = package.resolve()
        target = package / "build" / "webgpu" / "metadata.json"
        text = json.dumps(metadata(package), indent=2) + "\n"
        if args.check:
            current = target.read_text(encoding="utf-8") if target.exists() else ""
            if current != text:
                print(f"{package.name}: metadata.json is out of date; run pack.py", file=sys.stderr)
                stale = 1
        else:
            target.write_text(text, encoding="utf-8", newline="\n")
    return stale


if __name__ == "__main__":
    sys.exit(main())
