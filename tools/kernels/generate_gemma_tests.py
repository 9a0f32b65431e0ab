#!/usr/bin/env python3
"""Writes test.json and bench.json of the package com.microsoft.GemmaRotaryEmbedding.

usage: generate_gemma_tests.py [--check] [PACKAGE_DIR]

Expected values are computed here from the operator's definition: cosine and sine of the float32 angle are rounded to
float16 once (from double, whose error is far below the distance of any result from a rounding boundary), each product
is rounded to float16, and so is their sum. Results are compared bit by bit, given as bits; NaN is 0x7e00.
case_data.py tells about the files.
"""

import math
import sys

import numpy as np

from case_data import Stream, bits, cases_text, filled, from_bits, literal, numbers, write_package

OPERATOR = "com.microsoft.GemmaRotaryEmbedding"
OPERANDS = ("qT", "qRotT", "kT", "kRotT")
OUTPUTS = ("output1T", "output2T")
NAN = 0x7E00


def half(value):
    """float16 nearest to a double, ties to even."""
    with np.errstate(over="ignore"):
        return np.float16(value)


def factors(angles):
    """Cosines and sines as float16, for float32 angles of any size."""
    cosines = np.empty(angles.shape, np.float16)
    sines = np.empty(angles.shape, np.float16)
    for index, angle in np.ndenumerate(angles):
        finite = math.isfinite(angle)
        cosines[index] = half(math.cos(float(angle))) if finite else np.float16("nan")
        sines[index] = half(math.sin(float(angle))) if finite else np.float16("nan")
    return cosines, sines


def rotate(value, rotated, cosine, sine):
    """One output. A product of float16 numbers is exact in float32, and so is the rounding of a sum through it."""
    with np.errstate(all="ignore"):
        left = (value.astype(np.float32) * cosine.astype(np.float32)).astype(np.float16)
        right = (rotated.astype(np.float32) * sine.astype(np.float32)).astype(np.float16)
        result = (left.astype(np.float32) + right.astype(np.float32)).astype(np.float16)
    words = result.view(np.uint16)
    words[np.isnan(result)] = NAN
    return result


def variant_of(shape):
    return "vec4" if shape[2] * shape[3] % 4 == 0 else "scalar"


class Cases:
    def __init__(self):
        self.list = []

    def expect(self, name, angles, operands):
        """A case with literal data and the expected bits; `operands` are q, q_rot, k and k_rot."""
        cosine, sine = (factor[:, np.newaxis] for factor in factors(angles))
        q, q_rot, k, k_rot = operands
        results = rotate(q, q_rot, cosine, sine), rotate(k, k_rot, cosine, sine)
        inputs = {"embT": bits(angles) if angles.size else literal(angles)}
        inputs.update(zip(OPERANDS, (bits(operand) for operand in operands)))
        outputs = {key: {**bits(result), "tolerance": 0} for key, result in zip(OUTPUTS, results)}
        self.list.append({"name": name, "inputs": inputs, "outputs": outputs, "expectVariant": variant_of(q.shape)})

    def pairs(self, name, rows):
        """Cases of one element each: (angle, q, q_rot), as words or numbers; k is q_rot and k_rot is q. All rows
        stand in the columns of one call, padded to an odd and to a vectorised width."""
        for width in (len(rows) | 1, len(rows) + -len(rows) % 4):
            padded = rows + [(0.0, 0, 0)] * (width - len(rows))
            angles = np.array([as_float32(row[0]) for row in padded], np.float32).reshape(1, 1, width)
            q, q_rot = (from_bits("float16", (1, 1, 1, width), [row[i] for row in padded]) for i in (1, 2))
            self.expect(f"{name}_{'vec4' if width % 4 == 0 else 'scalar'}", angles, (q, q_rot, q_rot, q))

    def generated(self, name, shape, angle_scale=3.0, angle_step=0.0137):
        """A case whose data are formulas; the runner's reference gives the expected values."""
        batch, _, sequence, dim = shape
        steps = {"qT": (0.37, 0.91), "qRotT": (0.53, 0.29), "kT": (0.71, 0.43), "kRotT": (0.17, 0.83)}
        inputs = {"embT": filled("float32", (batch, sequence, dim), angle_step, 0.0071, angle_scale)}
        inputs.update((key, filled("float16", shape, *step, 1.5)) for key, step in steps.items())
        outputs = {key: {"dtype": "float16", "shape": list(shape), "tolerance": 0} for key in OUTPUTS}
        self.list.append({"name": name, "inputs": inputs, "outputs": outputs, "expectVariant": variant_of(shape)})

    def refuse(self, name, text, shapes=None, dtypes=None, leave_out=(), attrs=None):
        """A call on q (1, 2, 4, 8), changed as the arguments say, is refused with a message that contains `text`."""
        inputs = {}
        for key in ("embT",) + OPERANDS:
            shape = (shapes or {}).get(key, (1, 4, 8) if key == "embT" else (1, 2, 4, 8))
            dtype = (dtypes or {}).get(key, "float32" if key == "embT" else "float16")
            data = {"kind": "values", "values": [0] * math.prod(shape)}
            inputs[key] = {"dtype": dtype, "shape": list(shape), "data": data}
        for key in leave_out:
            del inputs[key]
        case = {"name": name, "inputs": inputs, "expectError": text}
        if attrs:
            case["attrs"] = attrs
        self.list.append(case)


def as_float32(angle):
    return np.array(angle, np.uint32).view(np.float32) if isinstance(angle, int) else np.float32(angle)


ONE = 0x3C00


def angle_cases(cases):
    """Cosine (from q = 1, q_rot = 0) and sine (from k = 0, k_rot = 1) themselves."""

    def of(angles):
        return [(angle, ONE, 0) for angle in angles]

    cases.pairs(
        "zero_and_tiny",
        of(
            [
                0.0,
                0x80000000,
                -1e-30,
                1e-30,
                0x00000001,
                0x807FFFFF,
                2.0**-25,
                0x33000001,
                2.0**-24,
                0x33C00000,
                0x33C00001,
                0xB4200000,
                6e-8,
                1e-6,
                0x387FF000,
                0x38801000,
                0x38803000,
            ]
        ),
    )
    cases.pairs("not_finite", of([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x7FFFFFFF]))
    cases.pairs("around_2_to_minus_11", of([0x39FFFFFF, 0x3A000000, 0x3A000001, 0xBA000000, 0x39FFF000, 0x3A001000]))
    cases.pairs("nearest_to_midpoints", of([0x5D4384EB, 0x59691A06, 0xDD4384EB, 0xD9691A06, 0x3F8004F5, 0xBF8004F5]))
    cases.pairs(
        "quarters",
        of(
            [
                0x3F490FDA,
                0x3F490FDB,
                0x3F490FDC,
                0x3FC90FDA,
                0x3FC90FDB,
                0x3FC90FDC,
                0x40490FDA,
                0x40490FDB,
                0x40490FDC,
                0x4096CBE3,
                0x4096CBE4,
                0x40C90FDA,
                0x40C90FDB,
                0xBFC90FDB,
                0xC0490FDB,
                0xC0C90FDB,
            ]
        ),
    )
    cases.pairs("large", of([1000.0, 8191.0, -12345.678, 65504.0, 131071.0, 5e5, 1e7, 2.0**30, 0x7F7FFFFF, 0xFF7FFFFF]))
    # The window of digits of 2 / pi begins in another word, or at bit 0 of one, for these exponents.
    fields = (116, 117, 146, 147, 148, 149, 179, 180, 181, 211, 212, 213, 243, 244, 245, 253, 254)
    cases.pairs(
        "window_of_digits", of([field << 23 | fraction for field in fields for fraction in (0, 0x2AAAAA, 0x7FFFFF)])
    )
    stream = Stream(11)
    cases.pairs("every_exponent", of([field << 23 | stream.next() % 2**23 | (field & 1) << 31 for field in range(255)]))
    cases.pairs("random_angles", of([0x3A000000 + stream.word() % 0x10000000 for _ in range(1500)]))
    cases.pairs("random_words", of([stream.word() for _ in range(1500)]))


def product_cases(cases):
    half_pi, quarter_pi = 0x3FC90FDB, 0x3F490FDB
    infinity, negative = 0x7C00, 0x8000
    cases.pairs("products_are_rounded", [(0.5, 0x3E00, 0xC180), (0.5, 0xBE00, 0x4180), (1.0, 0x3C01, 0x3C01)])
    cases.pairs("subnormal_cosine", [(half_pi, 0x7B53, 0), (half_pi, infinity, 0), (half_pi, 0xFBFF, 0x0001)])
    cases.pairs(
        "special_values",
        [
            (0.5, infinity, infinity | negative),
            (0.5, infinity, infinity),
            (0.5, infinity | negative, infinity | negative),
            (0.5, 0, negative),
            (0.5, negative, negative),
            (quarter_pi, ONE, ONE | negative),
            (quarter_pi, 0x7A00, 0x7A00),
            (quarter_pi, 0xFA00, 0xFA00),
            (0.0, infinity, infinity),
            (0.0, 0x7BFF, 0x7BFF),
            (0.5, 0x7D01, ONE),
            (0.5, ONE, 0xFE01),
            (0x7FC00000, ONE, 0),
            (0x7F800000, infinity, 0),
            (3.0, 0x0001, 0x8001),
            (0.5, 0x0001, 0x0001),
            (0.5, 0x03FF, 0x0400),
        ],
    )
    # Products between 2^-26 and 2^-13, where fewer than 11 bits are kept or none.
    stream = Stream(12)
    small = [
        (1e-4 * (stream.next() % 1000 + 1), stream.next() % 0x2000 | (stream.next() & 1) << 15, stream.next() % 0x2000)
        for _ in range(500)
    ]
    cases.pairs("small_products", small)
    cases.pairs("any_words", [(stream.word(), stream.word() >> 16, stream.word() >> 16) for _ in range(1200)])
    cases.pairs(
        "any_words_of_small_angles",
        [(0x38000000 + stream.word() % 0x09000000, stream.word() >> 16, stream.word() >> 16) for _ in range(1200)],
    )


def layout_cases(cases):
    for shape in (
        (2, 2, 3, 4),
        (2, 2, 3, 5),
        (1, 3, 2, 2),
        (3, 5, 1, 8),
        (2, 1, 4, 7),
        (1, 8, 4, 16),
        (1, 1, 1, 1),
        (4, 3, 2, 12),
    ):
        batch, heads, sequence, dim = shape
        angles = np.arange(1, batch * sequence * dim + 1, dtype=np.float32).reshape(batch, sequence, dim) / np.float32(
            8
        )
        operands = [numbers("float16", shape, seed) for seed in range(20, 24)]
        cases.expect("angle_of_every_element_" + "x".join(map(str, shape)), angles, operands)


def empty_cases(cases):
    for name, shape in (
        ("batch", (0, 2, 3, 4)),
        ("heads", (2, 0, 3, 4)),
        ("sequence", (2, 2, 0, 4)),
        ("dim", (2, 2, 3, 0)),
    ):
        angles = np.ones((shape[0], shape[2], shape[3]), np.float32)
        cases.expect(f"empty_{name}", angles, [np.zeros(shape, np.float16)] * 4)


def refusal_cases(cases):
    for key in ("embT",) + OPERANDS:
        cases.refuse(f"{key}_missing", f"{key}: required input is missing", leave_out=(key,))
    cases.refuse("attribute", "scale: is not an attribute of GemmaRotaryEmbedding", attrs={"scale": 1})
    cases.refuse("angles_float16", "embT: dtype float16 must be float32", dtypes={"embT": "float16"})
    cases.refuse("q_float32", "qT: dtype float32 must be float16", dtypes={"qT": "float32"})
    cases.refuse("q_int32", "qT: dtype int32 must be float16", dtypes={"qT": "int32"})
    cases.refuse("k_rot_float32", "kRotT: dtype float32 must be float16 as qT", dtypes={"kRotT": "float32"})
    cases.refuse("q_rank_3", "qT: rank 3 must be 4", shapes={"qT": (2, 4, 8)})
    cases.refuse("angles_rank_2", "embT: rank 2 must be 3", shapes={"embT": (4, 8)})
    cases.refuse(
        "fewer_key_heads",
        "kT: shape [1,1,4,8] must be qT shape = [1,2,4,8]",
        shapes={"kT": (1, 1, 4, 8), "kRotT": (1, 1, 4, 8)},
    )
    cases.refuse(
        "q_rot_of_another_shape", "qRotT: shape [1,2,8,4] must be qT shape = [1,2,4,8]", shapes={"qRotT": (1, 2, 8, 4)}
    )
    queries = {key: (2, 2, 4, 8) for key in OPERANDS}
    cases.refuse("angles_not_broadcast_over_batch", "embT: dimension 0 is 1, must be batch = 2", shapes=queries)
    cases.refuse(
        "angles_not_broadcast_over_sequence",
        "embT: dimension 1 is 1, must be sequence length = 4",
        shapes={"embT": (1, 1, 8)},
    )
    cases.refuse("angles_of_half_the_dim", "embT: dimension 2 is 4, must be head size = 8", shapes={"embT": (1, 4, 4)})


def sweep_cases(cases):
    count = 0
    for dim in (1, 2, 3, 4, 5, 6, 8, 10, 16, 33, 64, 72, 80, 96, 128, 255, 256):
        for heads in (1, 2, 3, 8):
            batch, sequence = (1, 2, 3)[count % 3], (1, 4, 7, 2, 16)[count % 5]
            scale = (3.0, 0.001, 5000.0)[count % 3]
            cases.generated(f"sweep_b{batch}n{heads}s{sequence}d{dim}", (batch, heads, sequence, dim), scale)
            count += 1


def large_cases(cases):
    # So much work that an invocation takes several heads, also a number that does not divide them.
    cases.generated("runs_of_heads_vec4", (1, 8, 512, 256))
    cases.generated("runs_of_heads_uneven_vec4", (2, 7, 512, 256))
    cases.generated("runs_of_heads_uneven_scalar", (1, 5, 1031, 63))
    cases.generated("grid_of_sequence_65537", (1, 1, 65537, 3))


def test_file():
    cases = Cases()
    angle_cases(cases)
    product_cases(cases)
    layout_cases(cases)
    empty_cases(cases)
    refusal_cases(cases)
    sweep_cases(cases)
    large_cases(cases)
    return cases_text(cases.list)


def bench_file():
    cases = []
    for name, shape in (
        ("prefill_b1_n8_s8192_d256", (1, 8, 8192, 256)),
        ("prefill_b1_n8_s2048_d256", (1, 8, 2048, 256)),
        ("prefill_b4_n16_s2048_d128", (4, 16, 2048, 128)),
        ("decode_b1_n8_s1_d256", (1, 8, 1, 256)),
        ("decode_b64_n8_s1_d256", (64, 8, 1, 256)),
        ("prefill_b4_n32_s8192_d128", (4, 32, 8192, 128)),
        ("prefill_b1_n8_s2048_d255", (1, 8, 2048, 255)),
        ("prefill_b1_n8_s2047_d255_scalar", (1, 8, 2047, 255)),
    ):
        inputs = {"embT": {"dtype": "float32", "shape": [shape[0], shape[2], shape[3]]}}
        inputs.update((key, {"dtype": "float16", "shape": list(shape)}) for key in OPERANDS)
        cases.append({"name": name, "inputs": inputs})
    return cases_text(cases)


if __name__ == "__main__":
    sys.exit(write_package(OPERATOR, __doc__.splitlines()[0], {"test.json": test_file(), "bench.json": bench_file()}))
