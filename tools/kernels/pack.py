#!/usr/bin/env python3
"""Writes build/webgpu/metadata.json of a kernel package: identity, digests and the templates each variant needs.

usage: pack.py [--check] PACKAGE_DIR...

PACKAGE_DIR is the folder that holds build/webgpu/manifest.json; the dialect is 1.0 if its `inputs` is a list, else 2.1.
A folder name with a dot in it must be the operator id. The output depends on the bytes of the other files and on
nothing else. With --check nothing is written: the exit status is 1 if a metadata.json is not what
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


REMOVED = object()


def text_of(value):
    """How a value of a family reads inside a longer string: as in JSON, but integral numbers without a fraction."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def filled(json_value, record):
    """A part of a family's template with the values of one cell put in; REMOVED where a null takes a member away."""
    if isinstance(json_value, str):
        whole = PLACEHOLDER.fullmatch(json_value)
        if whole and whole[1] in record:
            return REMOVED if record[whole[1]] is None else record[whole[1]]
        return PLACEHOLDER.sub(lambda match: text_of(record[match[1]]) if match[1] in record else match[0], json_value)
    if isinstance(json_value, list):
        items = []
        for item in json_value:
            value = filled(item, record)
            items.extend(value if isinstance(value, list) and isinstance(item, str) else [value])
        return items
    if isinstance(json_value, dict):
        members = {filled(key, record): filled(value, record) for key, value in json_value.items()}
        return {key: value for key, value in members.items() if value is not REMOVED}
    return json_value


def cells(family):
    """The records of a family: its cases, or the cells of its two axes without the excluded ones."""
    if "axes" not in family:
        return family["cases"]
    (first, rows), (second, columns) = family["axes"].items()
    records = []
    for row in rows:
        for column in columns:
            key = {first: row["$key"], second: column["$key"]}
            if key in family.get("exclude", []):
                continue
            record = {name: value for part in (row, column) for name, value in part.items() if name != "$key"}
            for extra in family.get("cases", []):
                if all(extra.get(axis) == name for axis, name in key.items()):
                    record.update({name: value for name, value in extra.items() if name not in key})
            records.append(record)
    return records


def shaders(steps):
    for step in steps:
        if "repeat" in step:
            yield from shaders(step["passes"])
        else:
            yield step["shader"]


def expanded(variants):
    """(variant id, [shader]) of every variant, families expanded in place."""
    for entry in variants:
        if "cases" not in entry and "axes" not in entry:
            yield entry["id"], list(shaders(entry["passes"]))
            continue
        for record in cells(entry):
            for template in entry["variants"]:
                variant = filled(template, record)
                yield variant["id"], list(shaders(variant["passes"]))


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


def described(root, manifest):
    """The webgpu section of dialect 2.1: every variant with the templates it needs."""
    variants = {}
    for identifier, paths in expanded(manifest["variants"]):
        needed = []
        for path in paths:
            with_includes(root, path, needed)
        variants[identifier] = needed
    return {"manifestSpec": "2.1", "variants": variants}


def metadata(package):
    root = package / "build" / "webgpu"
    manifest = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
    op = f"{manifest.get('domain', 'ai.onnx')}.{manifest['name']}"
    if "." in package.name and package.name != op:
        raise SystemExit(f"pack.py: folder {package.name} is not named after its operator {op}")
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    digests = {name: digest((root / name).read_bytes()) for name in files if name != "metadata.json"}
    webgpu = {"manifestSpec": "1.0"} if isinstance(manifest["inputs"], list) else described(root, manifest)
    content = hashlib.sha256(json.dumps(digests, sort_keys=True).encode("ascii")).hexdigest()
    return {
        "name": op,
        "id": f"_{op.replace('.', '_').lower()}_webgpu_{content[:7]}",
        "version": CONTRACT_VERSION,
        "license": "apache-2.0",
        "backend": {"type": "webgpu"},
        "digest": {"algorithm": "sha256", "files": digests},
        "webgpu": webgpu,
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
