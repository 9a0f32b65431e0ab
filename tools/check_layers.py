#!/usr/bin/env python3
"""Reads the #include lines of src/, include/, cli/, bench/ and examples/ and reports every arrow that cmake/layers.txt
does not allow, as `file:line: what`. Exit code 1 if there is one.

usage: check_layers.py [REPOSITORY]
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
WEBGPU_DOOR = "src/gpu/webgpu_api.h"


def read_rules(path):
    rules = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            layer, _, allowed = line.partition(":")
            rules[layer] = set(allowed.split())
    return rules


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def sources(root, folder):
    return sorted(p for p in (root / folder).rglob("*") if p.suffix in (".h", ".hpp", ".cpp", ".c"))


def check_layer(root, layer, allowed, layers):
    for path in sources(root, f"src/{layer}"):
        name = path.relative_to(root).as_posix()
        for number, quote, target in includes(path):
            first = target.split("/")[0]
            if quote == '"' and first in layers and first != layer and first not in allowed:
                yield f"{name}:{number}: {layer} must not include {first}"
            if re.search(r"webgpu\.h|wgpu\.h", target) and name != WEBGPU_DOOR:
                yield f"{name}:{number}: only {WEBGPU_DOOR} may include {target}"


def check_outside(root, layers):
    for folder in ("include", "cli", "examples"):
        for path in sources(root, folder):
            name = path.relative_to(root).as_posix()
            for number, _, target in includes(path):
                if target.split("/")[0] in layers:
                    yield f"{name}:{number}: {folder} must include <wgk/…> only, not {target}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rules = read_rules(root / "cmake/layers.txt")
    problems = []
    folders = {p.name for p in (root / "src").iterdir() if p.is_dir()}
    problems += [f"src/{f}: not listed in cmake/layers.txt" for f in sorted(folders - set(rules))]
    for layer, allowed in rules.items():
        problems += check_layer(root, layer, allowed, set(rules))
    problems += check_outside(root, set(rules))
    print("\n".join(problems) if problems else "layers hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
