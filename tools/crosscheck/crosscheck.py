#!/usr/bin/env python3
"""Runs the test cases of packages in another WebGPU implementation and compares as `wgk test` does (docs/crosscheck.md).

usage: crosscheck.py --tool build/wgk_crosscheck --runner chromium|dawn FOLDER…

A FOLDER is a package or holds packages. Exit codes: 0 all agree, 1 something differs or could not run, 2 wrong usage,
77 the implementation is not installed.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from browser import Deadline, Failure, find_chromium, run_in_chromium

HERE = pathlib.Path(__file__).resolve().parent
NOT_INSTALLED = 77


def packages_in(folder):
    """The packages with test cases at or directly below a folder, in the order of their names."""
    folders = [folder] if (folder / "build/webgpu/manifest.json").exists() else sorted(folder.glob("*"))
    return [path for path in folders if (path / "build/webgpu/test.json").exists()]


class Tool:
    """wgk_crosscheck, with its files in a working folder."""

    def __init__(self, program, packages, folder, per_variant):
        self.program = program
        self.arguments = ["--per-variant", str(per_variant), *map(str, packages)]
        self.profile = folder / "profile.json"
        self.cases = folder / "cases.jsonl"
        self.results = folder / "results.jsonl"

    def plan(self, profile):
        """Plans for the device of `profile` (JSON text); returns the lines of the case file."""
        self.profile.write_text(profile)
        command = [self.program, "plan", "--profile", self.profile, "--output", self.cases, *self.arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failure(done.stdout.strip())
        return self.cases.read_text().splitlines()

    def judge(self):
        command = [self.program, "judge", "--profile", self.profile, "--results", self.results, *self.arguments]
        return subprocess.run(command).returncode


def device_text(profile):
    adapter = profile["adapter"]
    names = [adapter[key] for key in ("vendor", "architecture", "device", "description") if adapter.get(key)]
    f16 = "with" if "shader-f16" in profile["features"] else "without"
    return f"{', '.join(names)}; {f16} shader-f16"


def run_chromium(tool, deadline):
    chromium = find_chromium()
    if chromium is None:
        return None
    lines, summary = run_in_chromium(chromium, tool.plan, deadline)
    tool.results.write_text("".join(line + "\n" for line in lines))
    version = subprocess.run([chromium, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    remarks = [f"remark ({count} shaders): {text}" for text, count in summary["remarks"]]
    return "\n".join([version.stdout.strip(), f"{len(lines)} plans, {summary['shaders']} shaders", *remarks])


def run_dawn(tool, deadline):
    node = shutil.which("node")
    if node is None:
        return None
    with_dawn = [node, str(HERE / "dawn.mjs")]
    subprocess.run([*with_dawn, "profile", tool.profile], check=True)
    tool.plan(tool.profile.read_text())
    try:
        done = subprocess.run([*with_dawn, "run", tool.cases, tool.results], check=True, stdout=subprocess.PIPE,
                              text=True, timeout=deadline.left())
    except subprocess.TimeoutExpired:
        ran = len(tool.results.read_text().splitlines())
        raise Failure(f"{deadline}, after {ran} of {len(tool.cases.read_text().splitlines())} plans") from None
    return "Dawn in Node\n" + done.stdout.strip()


MISSING = {"chromium": "there is no Chromium (tools/setup.sh --crosscheck installs it)", "dawn": "there is no Node"}
RUNNERS = {"chromium": run_chromium, "dawn": run_dawn}


def crosscheck(arguments, packages, folder):
    tool = Tool(arguments.tool, packages, folder, arguments.per_variant)
    start = time.monotonic()
    summary = RUNNERS[arguments.runner](tool, Deadline(arguments.time_limit))
    if summary is None:
        print(f"SKIPPED: {MISSING[arguments.runner]}, so no plan was cross-checked")
        return NOT_INSTALLED
    print(summary)
    print(f"planned and ran in {time.monotonic() - start:.0f} s")
    print(device_text(json.loads(tool.profile.read_text())), flush=True)
    return tool.judge()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the program wgk_crosscheck")
    parser.add_argument("--runner", choices=sorted(RUNNERS), required=True)
    parser.add_argument("--per-variant", type=int, default=0, metavar="N",
                        help="run N cases of every variant, and those that render further shaders (default: all)")
    parser.add_argument("--time-limit", type=float, default=3600, metavar="SECONDS",
                        help="fail when planning and running take longer (default: %(default)s)")
    parser.add_argument("--keep", type=pathlib.Path, help="leave profile, cases and results in this folder")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    packages = [package for folder in arguments.folders for package in packages_in(folder)]
    if not packages:
        parser.error("no package with test cases there")
    try:
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            return crosscheck(arguments, packages, arguments.keep)
        with tempfile.TemporaryDirectory() as folder:
            return crosscheck(arguments, packages, pathlib.Path(folder))
    except (Failure, subprocess.CalledProcessError) as error:
        print(f"crosscheck.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
