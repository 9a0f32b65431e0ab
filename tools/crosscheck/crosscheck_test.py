#!/usr/bin/env python3
"""Checks that wgk_crosscheck judges: on a package whose output is its input, so that the right answer needs no device.

usage: crosscheck_test.py PROGRAM PACKAGE     a package of one input and one output that are equal
"""
import json
import pathlib
import subprocess
import sys
import tempfile

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

    def cases(self):
        file = self.folder / "cases.jsonl"
        code, text = self.tool("plan", "--output", file)
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


def main():
    program, package = sys.argv[1:]
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
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
