#!/usr/bin/env python3
"""Compares the symbols that the shared library exports with tests/abi/symbols.txt.

usage: compare.py NM LIBRARY SYMBOLS [--more SYMBOLS] [--update]

Symbols of namespace wgk and of the C API count; templates of the standard library that the compiler exports are left
out. Exit code 1 where they differ. --more: what an optional layer adds. --update writes the (last) file instead.
"""
import pathlib
import subprocess
import sys


def exported(nm, library):
    lines = subprocess.run([nm, "-D", "-C", "--defined-only", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    # "0000000000012340 T wgk::v0::Device::open(…)"
    names = {line.split(" ", 2)[2].replace("[abi:cxx11]", "") for line in lines if len(line.split(" ", 2)) == 3}
    ours = {name for name in names if name.startswith(("wgk::", "wgk_", "vtable for wgk::", "typeinfo"))}
    return sorted(name for name in ours if not name.startswith("typeinfo") or " for wgk::" in name)


def main():
    nm, library, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    actual = exported(nm, library)
    base = []
    if "--more" in sys.argv[4:]:
        base, path = path.read_text().splitlines(), pathlib.Path(sys.argv[sys.argv.index("--more") + 1])
    if "--update" in sys.argv[4:]:
        path.write_text("\n".join(name for name in actual if name not in base) + "\n")
        return 0
    wanted = sorted(base + path.read_text().splitlines())
    for name in sorted(set(wanted) - set(actual)):
        print(f"gone: {name}")
    for name in sorted(set(actual) - set(wanted)):
        print(f"new:  {name}")
    if actual != wanted:
        print(f"the exported symbols differ from {path}; if that is meant, run this script with --update and say so in "
              "CHANGELOG.md")
        return 1
    print(f"{len(actual)} symbols, all as listed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
