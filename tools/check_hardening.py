#!/usr/bin/env python3
"""Checks that a built program or library has the hardening of cmake/WgkCompileOptions.cmake.

usage: check_hardening.py FILE [--release]     --release: what only release builds have, too
"""
import subprocess
import sys


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True, text=True).stdout


def main():
    path = sys.argv[1]
    headers = readelf("-h", "-l", path)
    dynamic = readelf("-d", path)
    symbols = readelf("--dyn-syms", path)
    stack = [line for line in headers.splitlines() if "GNU_STACK" in line]
    checks = {
        "position-independent (PIE)": "DYN (" in headers,
        "read-only relocations (RELRO)": "GNU_RELRO" in headers,
        "no lazy binding (BIND_NOW)": "BIND_NOW" in dynamic or "Flags: NOW" in dynamic,
        "stack not executable": len(stack) == 1 and "RWE" not in stack[0],
    }
    if "--release" in sys.argv:
        checks["stack protector"] = "__stack_chk_fail" in symbols
        checks["_FORTIFY_SOURCE"] = "_chk@" in symbols
    failed = [name for name, good in checks.items() if not good]
    for name in failed:
        print(f"{path}: {name} is missing")
    print(f"{path}: {len(checks) - len(failed)} of {len(checks)} hardening checks pass")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
