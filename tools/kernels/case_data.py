"""What the generators of the com.microsoft packages share: deterministic numbers, tensors as JSON, writing files.

The output is a function of the sources: inputs come from an integer generator and from decimals rounded to six digits,
so neither the numpy version nor the C library shows.

Keys of a case beyond the published format: `expectVariant` (the variant that must run), `expectError` (the call must be
refused with a message that contains this), `check: "none"` (position values are not checked by the host), and the data
kind `bits` (the words of float data as unsigned integers). `fillFloat32` data of a float16 tensor is rounded to nearest
even. An output without data is compared with the reference of the program that runs the case.

bench.json: {"cases": [{"name", "inputs": {key: {"dtype", "shape"}}, "attrs"}]}. A bench case has no data: float tensors
take any finite values, and positionIds count up from 0 along the sequence.
"""

import argparse
import json
import math
import pathlib
import sys

import numpy as np

NUMPY_TYPE = {"float32": np.float32, "float16": np.float16, "int64": np.int64, "uint32": np.uint32, "int32": np.int32}
WORD_TYPE = {"float32": np.uint32, "float16": np.uint16}
SHORT = {"float32": "f32", "float16": "f16"}


class Stream:
    """Numbers that depend on the seed alone (the linear congruential generator of Numerical Recipes)."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state >> 8

    def word(self):
        """32 bits."""
        return (self.next() << 16 ^ self.next()) % 2**32

    def decimal(self):
        """A multiple of 0.0001 in [-1.9, 1.9)."""
        return (self.next() % 38000 - 19000) / 10000


def numbers(dtype, shape, seed):
    stream = Stream(seed)
    return np.array([stream.decimal() for _ in range(math.prod(shape))], dtype=NUMPY_TYPE[dtype]).reshape(shape)


def from_bits(dtype, shape, words):
    return np.array(words, dtype=WORD_TYPE[dtype]).view(NUMPY_TYPE[dtype]).reshape(shape)


def number(value):
    """The shortest decimal that reads back as the same value."""
    plain = float(str(value))
    negative_zero = plain == 0 and math.copysign(1, plain) < 0
    return int(plain) if plain == int(plain) and not negative_zero else plain


def literal(array):
    """A tensor with its values: decimals where all are finite, else bits; int64 beyond 2^53 as decimal strings."""
    dtype = next(name for name, kind in NUMPY_TYPE.items() if array.dtype == kind)
    if dtype not in WORD_TYPE:
        data = {"kind": "values", "values": [v if abs(v) <= 2**53 else str(v) for v in array.ravel().tolist()]}
    elif np.isfinite(array).all():
        data = {"kind": "values", "values": [number(value) for value in array.ravel()]}
    else:
        data = bits(array)["data"]
    return {"dtype": dtype, "shape": list(array.shape), "data": data}


def bits(array):
    """A float tensor with its words."""
    dtype = next(name for name in WORD_TYPE if array.dtype == NUMPY_TYPE[name])
    words = np.ascontiguousarray(array).view(WORD_TYPE[dtype]).ravel().tolist()
    return {"dtype": dtype, "shape": list(array.shape), "data": {"kind": "bits", "values": words}}


def filled(dtype, shape, sin_step, cos_step, scale=1):
    """A tensor whose element i is scale * (sin(sin_step * i) + cos(cos_step * i))."""
    data = {"kind": "fillFloat32", "sinStep": sin_step, "cosStep": cos_step, "scale": scale}
    return {"dtype": dtype, "shape": list(shape), "data": data}


def cases_text(cases):
    names = [case["name"] for case in cases]
    assert len(names) == len(set(names)), "case names are unique"
    lines = ",\n    ".join(json.dumps(case, separators=(",", ":"), allow_nan=False) for case in cases)
    return '{\n  "cases": [\n    ' + lines + "\n  ]\n}\n"


def write_package(operator, description, files):
    """The command line of a generator: writes, or with --check compares, the files of build/webgpu."""
    package = pathlib.Path(__file__).resolve().parents[2] / "kernels" / operator
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("package", nargs="?", type=pathlib.Path, default=package, metavar="PACKAGE_DIR")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    arguments = parser.parse_args()
    stale = 0
    for name, text in files.items():
        target = arguments.package / "build" / "webgpu" / name
        if not arguments.check:
            target.write_text(text, encoding="utf-8", newline="\n")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            print(f"{target} is out of date", file=sys.stderr)
            stale = 1
    return stale
