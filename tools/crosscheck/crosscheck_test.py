#!/usr/bin/env python3
"""Checks that wgk_crosscheck judges: on a package whose output is its input, so that the right answer needs no device.
And that it leaves out what shows nothing new, and what bounds a run.

usage: crosscheck_test.py PROGRAM PACKAGE MANY
PACKAGE: of one input and one output that are equal. MANY: of one variant with more cases than shaders.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from browser import BATCH_BYTES, Deadline, Exchange

PROFILE = {"adapter": {"device": "a device of the test"}, "features": []}


class Check:
    def __init__(self, program, package, folder):
        self.program, self.package, self.folder = program, package, folder
        (folder / "profile.json").write_text(json.dumps(PROFILE))
        self.failures = 0

    def tool(self, command, *more):
        line = [self.program, command, "--profile", self.folder / "profile.json", *more, self.package]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def that(self, what, holds):
        if not holds:
            self.failures += 1
            print(f"{what}: no")

    def cases(self, *more):
        file = self.folder / "cases.jsonl"
        code, text = self.tool("plan", "--output", file, *more)
        assert code == 0, text
        return [json.loads(line) for line in file.read_text().splitlines()]

    def judge(self, what, results, want_code, want_text):
        file = self.folder / "results.jsonl"
        file.write_text("".join(json.dumps(result) + "\n" for result in results))
        code, text = self.tool("judge", "--results", file)
        if code != want_code or want_text not in text:
            self.failures += 1
            print(f"{what}: exit code {code}, want {want_code}; no «{want_text}» in:\n{text}")


def answer(case):
    """The right result: the bytes of the input."""
    (output,) = [tensor["key"] for tensor in case["plan"]["tensors"] if tensor["output"]]
    (bytes_in,) = case["inputs"].values()
    return {"id": case["id"], "outputs": {output: bytes_in}}


def changed(result, change):
    return {"id": result["id"], "outputs": {key: change(value) for key, value in result["outputs"].items()}}


def flip_first_digit(text):
    return ("1" if text[0] == "0" else "0") + text[1:]


def shaders_of(cases):
    return {shader["wgsl"] for case in cases for shader in case["plan"]["passes"] if not shader["skipped"]}


def check_choice(check):
    """Fewer cases, the same shaders."""
    every, few = check.cases(), check.cases("--per-variant", "1")
    check.that("cases are left out", 0 < len(few) < len(every))
    check.that("no shader is left out", shaders_of(few) == shaders_of(every))
    check.that("what is asked for at most is all", len(check.cases("--per-variant", "1000")) == len(every))
    lines = [json.dumps({"id": case["id"], "error": "x"}) + "\n" for case in few]
    (check.folder / "results.jsonl").write_text("".join(lines))
    code, text = check.tool("judge", "--results", check.folder / "results.jsonl", "--per-variant", "1")
    check.that("what is left out is counted", code == 1 and f"{len(every) - len(few)} left out" in text)
    check.that("variants are counted", "variants run: 1 of 1" in text)


def check_bounds(check):
    exchange = Exchange(None)
    exchange.cases = ["a" * BATCH_BYTES, "b", "c", "d" * BATCH_BYTES]
    check.that("a large case goes alone", exchange.batch(0) == exchange.cases[0])
    check.that("small cases go together", exchange.batch(1) == "b\nc")
    exchange.results = ["one"]
    check.that("progress is told", exchange.progress() == "after 1 of 4 plans")
    check.that("time ends", Deadline(0).is_over() and not Deadline(1000).is_over())
    check.that("the message names the limit", "0.5 s (--time-limit)" in str(Deadline(0.5)))


def main():
    program, package, many = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(program, package, pathlib.Path(folder))
        cases = check.cases()
        assert cases, "the package has no case to run"
        right = [answer(case) for case in cases]
        first, rest = right[0], right[1:]
        check.judge("right results", right, 0, f"{len(right)} ran")
        check.judge("one bit", [changed(first, flip_first_digit), *rest], 1, "got ")
        check.judge("too few bytes", [changed(first, lambda text: text[:-2]), *rest], 1, "bytes came back")
        check.judge("a missing output", [{"id": first["id"], "outputs": {}}, *rest], 1, "0 bytes came back")
        check.judge("a missing case", rest, 1, "did not run")
        check.judge("a refused shader", [{"id": first["id"], "error": "line 3"}, *rest], 1, "line 3")
        check.judge("no results", [], 1, "did not run")
        check.judge("a case twice", [first, first, *rest], 2, "comes twice")
        check.judge("not hexadecimal", [changed(first, lambda text: "zz"), *rest], 2, "is not hexadecimal")
        check.judge("no id", [{"outputs": {}}], 2, "line 1: not an object with an \"id\"")
        check_bounds(check)
        check.package = many
        check_choice(check)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
