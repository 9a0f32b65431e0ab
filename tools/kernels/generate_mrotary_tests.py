#!/usr/bin/env python3
"""Writes test.json and bench.json of the package com.microsoft.MRotaryEmbedding.

usage: generate_mrotary_tests.py [--check] [PACKAGE_DIR]

Expected values are computed here from the operator's definition:

    (y0, y1) = (x0 * c - x1 * s, x0 * s + x1 * c)

with c and s from the row of the pair's position stream, times `scale` and rounded to their dtype first. float32 in
double precision and rounded once; float16 in float32, where both products are exact, and rounded once. What is not
rotated keeps its bits: the tail of a head, and the pairs whose position is no cache row. case_data.py tells about the
files.
"""

import math
import sys

import numpy as np

from case_data import NUMPY_TYPE, SHORT, Stream, cases_text, filled, from_bits, literal, numbers, write_package

OPERATOR = "com.microsoft.MRotaryEmbedding"
DTYPES = ("float32", "float16")
# Inputs are below 2 and factors at most 2, so products are below 4 and the bound 4 * ulp32 is 2 ** -21 * 2.
FLOAT32_TOLERANCE = 1e-6


def layout_of(shape, attrs):
    """(batch, sequence, heads, head size)"""
    if len(shape) == 3:
        heads = attrs["num_heads"]
        return shape[0], shape[1], heads, shape[2] // heads
    return shape[0], shape[2], shape[1], shape[3]


def half_of(shape, attrs):
    return (attrs.get("rotary_embedding_dim", 0) or layout_of(shape, attrs)[3]) // 2


def stream_of(pair, attrs):
    temporal, height, width = attrs["mrope_section"]
    if attrs.get("mrope_layout", 0) == 0:
        return 0 if pair < temporal else 1 if pair < temporal + height else 2
    if pair % 3 == 1 and pair < 3 * height:
        return 1
    return 2 if pair % 3 == 2 and pair < 3 * width else 0


def scaled(cache, scale):
    """The factors: rounded to float32, and for float16 then to float16."""
    if np.float32(scale) == 1:
        return cache
    with np.errstate(all="ignore"):
        return (cache.astype(np.float32) * np.float32(scale)).astype(cache.dtype)


def reference(x, positions, cos, sin, attrs):
    batch, sequence, heads, head = layout_of(x.shape, attrs)
    half = half_of(x.shape, attrs)
    cos, sin = scaled(cos, attrs.get("scale", 1)), scaled(sin, attrs.get("scale", 1))
    wide = np.float64 if x.dtype == np.float32 else np.float32
    y = x.copy()
    rows = y.reshape(batch, sequence, heads, head) if x.ndim == 3 else y.transpose(0, 2, 1, 3)
    for b in range(batch):
        for s in range(sequence):
            for pair in range(half):
                row = int(positions[stream_of(pair, attrs), b, s])
                if not 0 <= row < cos.shape[0]:
                    continue
                first, second = (2 * pair, 2 * pair + 1) if attrs.get("interleaved", 0) else (pair, pair + half)
                c, n = wide(cos[row, pair]), wide(sin[row, pair])
                x0, x1 = rows[b, s][:, first].astype(wide), rows[b, s][:, second].astype(wide)
                with np.errstate(all="ignore"):
                    rows[b, s][:, first] = (x0 * c - x1 * n).astype(x.dtype)
                    rows[b, s][:, second] = (x0 * n + x1 * c).astype(x.dtype)
    return y


def variant_of(shape, attrs):
    """The variant that the selection table of the card names."""
    head = layout_of(shape, attrs)[3]
    quads = head % 4 == 0 and half_of(shape, attrs) % 4 == 0
    return f"rank{len(shape)}" + ("_quad" if quads else "")


def caches(dtype, shape, base=10000.0, row=lambda index: index):
    """Cosines and sines of the usual angles; `row` maps a row to a position."""
    rows, half = shape
    angles = [row(r) * base ** (-p / max(half, 1)) for r in range(rows) for p in range(half)]
    rounded = ([round(function(angle), 6) for angle in angles] for function in (math.cos, math.sin))
    return tuple(np.array(values, dtype=NUMPY_TYPE[dtype]).reshape(shape) for values in rounded)


def distinct_caches(dtype, rows, half):
    """Caches in which every row and column has its own angle, far from 0."""
    return caches(dtype, (rows, half), base=7.0, row=lambda r: r + 1)


def positions_array(values):
    return np.array(values, dtype=np.int64)


def same_streams(values):
    return positions_array([values] * 3)


class Cases:
    def __init__(self):
        self.list = []

    def expect(self, name, x, positions, cos, sin, attrs, check=None):
        """A case with literal data and the expected output."""
        inputs = {"x": literal(x), "positionIds": literal(positions), "cos": literal(cos), "sin": literal(sin)}
        tolerance = FLOAT32_TOLERANCE if x.dtype == np.float32 else 0
        output = {**literal(reference(x, positions, cos, sin, attrs)), "tolerance": tolerance}
        case = {
            "name": name,
            "inputs": inputs,
            "attrs": attrs,
            "outputs": {"y": output},
            "expectVariant": variant_of(x.shape, attrs),
        }
        if check is not None:
            case["check"] = check
        self.list.append(case)

    def generated(self, name, dtype, shape, rows, positions, attrs):
        """A case whose data are formulas; the runner's reference gives the expected values."""
        cache = (rows, half_of(shape, attrs))
        inputs = {
            "x": filled(dtype, shape, 0.37, 0.91),
            "positionIds": literal(positions_array(positions)),
            "cos": filled(dtype, cache, 0.53, 0.29, 0.5),
            "sin": filled(dtype, cache, 0.71, 0.43, 0.5),
        }
        output = {"dtype": dtype, "shape": list(shape), "tolerance": 4e-6 if dtype == "float32" else 0}
        self.list.append(
            {
                "name": name,
                "inputs": inputs,
                "attrs": attrs,
                "outputs": {"y": output},
                "expectVariant": variant_of(shape, attrs),
            }
        )

    def refuse(self, name, text, x=(1, 1, 8), positions=((0,),) * 3, cos=(8, 2), sin=None, attrs=None, dtypes=None):
        """A request that must be refused with a message that contains `text`. Shapes; positions as nested lists."""
        dtypes = dtypes or {}
        inputs = {}
        for key, shape in (("x", x), ("cos", cos), ("sin", sin or cos)):
            data = {"kind": "values", "values": [0] * math.prod(shape)}
            inputs[key] = {"dtype": dtypes.get(key, "float32"), "shape": list(shape), "data": data}
        if positions is not None:
            kind = NUMPY_TYPE[dtypes.get("positionIds", "int64")]
            array = np.array(positions, dtype=kind)
            inputs["positionIds"] = literal(array[:, np.newaxis] if array.ndim == 2 else array)
        attrs = {"num_heads": 2, "mrope_section": [1, 1, 0]} | (attrs or {})
        attrs = {key: value for key, value in attrs.items() if value is not None}
        self.list.append({"name": name, "inputs": inputs, "attrs": attrs, "expectError": text})


def stream_cases(cases):
    """Which position a pair follows: sections in both layouts, with both pairings, all positions different."""
    sections = (
        [4, 2, 2],
        [2, 1, 1],
        [1, 3, 0],
        [0, 0, 4],
        [4, 0, 0],
        [0, 4, 0],
        [0, 2, 2],
        [1, 0, 3],
        [2, 3, 3],
        [4, 4, 8],
    )
    for dtype in DTYPES:
        for section in sections:
            half = sum(section)
            cos, sin = distinct_caches(dtype, 7, half)
            x = numbers(dtype, (1, 2, 2, 2 * half), half)
            positions = positions_array([[[6, 0]], [[1, 5]], [[3, 2]]])
            for layout in (0, 1):
                for interleaved in (0, 1):
                    attrs = {"mrope_section": section, "mrope_layout": layout, "interleaved": interleaved}
                    name = (
                        f"sections_{'_'.join(map(str, section))}_layout{layout}_interleaved{interleaved}_{SHORT[dtype]}"
                    )
                    cases.expect(name, x, positions, cos, sin, attrs)
        for section in ([24, 20, 20], [16, 24, 24], [32, 16, 16]):
            for layout in (0, 1):
                attrs = {"mrope_section": section, "mrope_layout": layout, "num_heads": 2}
                name = f"sections_{'_'.join(map(str, section))}_layout{layout}_{SHORT[dtype]}"
                cases.generated(
                    name, dtype, (2, 2, 256), 9, [[[8, 1], [2, 3]], [[4, 5], [6, 7]], [[0, 8], [1, 2]]], attrs
                )


def layout_cases(cases):
    for dtype in DTYPES:
        short = SHORT[dtype]
        positions = positions_array([[[0, 5, 2], [15, 1, 1]], [[3, 3, 9], [14, 0, 7]], [[8, 12, 13], [6, 11, 10]]])
        for head in (6, 8):
            cos, sin = distinct_caches(dtype, 16, head // 2)
            attrs = {"mrope_section": [head // 2 - 2, 1, 1]}
            x = numbers(dtype, (2, 3, 4 * head), 100)
            cases.expect(f"rank3_heads_inside_token_h{head}_{short}", x, positions, cos, sin, {**attrs, "num_heads": 4})
            twin = numbers(dtype, (2, 4, 3, head), 100)
            cases.expect(f"rank4_twin_of_rank3_h{head}_{short}", twin, positions, cos, sin, attrs)
            cases.expect(
                f"rank4_ignores_num_heads_h{head}_{short}", twin, positions, cos, sin, {**attrs, "num_heads": 7}
            )
        cos, sin = caches(dtype, (16, 4))
        x = numbers(dtype, (1, 2, 3, 8), 101)
        for layout in (0, 1):
            attrs = {"mrope_section": [2, 1, 1], "mrope_layout": layout}
            cases.expect(f"text_only_layout{layout}_{short}", x, same_streams([[1, 9, 4]]), cos, sin, attrs)
        zero, one = np.zeros((1, 1), NUMPY_TYPE[dtype]), np.ones((1, 1), NUMPY_TYPE[dtype])
        x = numbers(dtype, (1, 1, 1, 2), 102)
        cases.expect(f"position_0_is_applied_{short}", x, same_streams([[0]]), zero, one, {"mrope_section": [0, 1, 0]})
        cos, sin = distinct_caches(dtype, 3, 2)
        x = numbers(dtype, (1, 5, 4), 103)
        attrs = {"num_heads": 1, "mrope_section": [1, 1, 0]}
        positions = same_streams([[0, 1, 2, 0, 1]])
        cases.expect(f"sequence_longer_than_cache_{short}", x, positions, cos, sin, attrs)
        cases.expect(f"not_packed_{short}", x, positions, cos, sin, {**attrs, "is_packed_batching": 0})
        cases.expect(f"packed_{short}", x, positions, cos, sin, {**attrs, "is_packed_batching": 1})
        cos, sin = distinct_caches(dtype, 6, 4)
        x = numbers(dtype, (1, 2, 2, 10), 104)
        attrs = {"num_heads": 2, "rotary_embedding_dim": 8, "mrope_section": [2, 1, 1]}
        cases.expect(f"cache_stride_is_its_width_{short}", x, same_streams([[5, 3]]), cos, sin, attrs)
        cos, sin = distinct_caches(dtype, 3, 4)
        attrs = {"num_heads": 1, "mrope_section": [2, 1, 1]}
        x = numbers(dtype, (1, 1, 1, 8), 105)
        for interleaved in (0, 1):
            for rotary in (0, 8):
                more = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                cases.expect(
                    f"full_rotation_given_as_{rotary}_interleaved{interleaved}_{short}",
                    x,
                    positions_array([[[2]], [[0]], [[1]]]),
                    cos,
                    sin,
                    attrs | more,
                )
    cos, sin = distinct_caches("float32", 4, 2)
    cases.expect(
        "positions_in_storage_form",
        numbers("float32", (1, 1, 2, 4), 106),
        np.array([[[3, 0]], [[1, 2]], [[0, 0]]], np.uint32),
        cos,
        sin,
        {"mrope_section": [1, 1, 0]},
    )


ODD_BITS = {
    "float32": [0x7F923456, 0x80000000, 0x00000007, 0xFF800000, 0x7FC00001, 0xFFBADBAD, 0x007FFFFF, 0x80000001],
    "float16": [0x7D01, 0x8000, 0x0007, 0xFC00, 0x7E01, 0xFDAD, 0x03FF, 0x8001],
}
ONE = {"float32": 0x3F800000, "float16": 0x3C00}


def copied_bits_cases(cases):
    """Tails and pairs without a cache row keep their bits, whatever they are and whatever `scale` is."""
    for dtype in DTYPES:
        words, short = ODD_BITS[dtype], SHORT[dtype]
        for head, rotary in (
            (3, 2),
            (5, 2),
            (7, 2),
            (7, 4),
            (6, 2),
            (8, 2),
            (12, 8),
            (16, 8),
            (20, 8),
            (24, 8),
            (21, 16),
        ):
            tail = (words * 3)[: head - rotary]
            shape = (1, 3, 2, head)
            x = from_bits(dtype, shape, ([ONE[dtype]] * rotary + tail) * 6)
            cos, sin = distinct_caches(dtype, 4, rotary // 2)
            for interleaved in (0, 1):
                attrs = {
                    "num_heads": 3,
                    "rotary_embedding_dim": rotary,
                    "interleaved": interleaved,
                    "scale": 2,
                    "mrope_section": [rotary // 2 - rotary // 4, rotary // 4, 0],
                }
                name = f"tail_bits_h{head}_d{rotary}_interleaved{interleaved}_{short}"
                cases.expect(name, x, positions_array([[[3, 1]], [[0, 2]], [[1, 3]]]), cos, sin, attrs)
        for head in (6, 7, 8, 12, 16, 24):
            rotary = head // 2 * 2
            half = rotary // 2
            x = from_bits(dtype, (1, 2, 2 * head), (words * 12)[: 4 * head])
            cos, sin = distinct_caches(dtype, 2, half)
            for layout in (0, 1):
                attrs = {
                    "num_heads": 2,
                    "rotary_embedding_dim": rotary,
                    "mrope_layout": layout,
                    "interleaved": layout,
                    "scale": 2,
                    "mrope_section": [half - 2 * (half // 3), half // 3, half // 3],
                }
                name = f"no_row_keeps_bits_h{head}_layout{layout}_{short}"
                cases.expect(name, x, same_streams([[2, 2**32]]), cos, sin, attrs, check="none")


STREAMS = ("temporal", "height", "width")
BAD_POSITIONS = (
    ("minus1", -1),
    ("2", 2),
    ("2pow32", 2**32),
    ("2pow32_plus1", 2**32 + 1),
    ("minus_2pow32", -(2**32)),
    ("2pow63_minus1", 2**63 - 1),
    ("minus_2pow63", -(2**63)),
)


def position_cases(cases):
    """A position without a row is refused with its place; unchecked, only the pairs of its stream are kept."""
    for stream, stream_name in enumerate(STREAMS):
        for label, value in BAD_POSITIONS:
            positions = [[0], [1], [0]]
            positions[stream] = [value]
            place = f"index {stream} (stream {stream} {stream_name}, batch 0, token 0)"
            text = f"positionIds: value {value} at {place} must be in [0, 2), the cos rows"
            cases.refuse(
                f"position_{label}_{stream_name}_refused",
                text,
                x=(1, 1, 1, 6),
                positions=positions,
                cos=(2, 3),
                attrs={"mrope_section": [1, 1, 1]},
            )
            for dtype in DTYPES:
                cos, sin = distinct_caches(dtype, 2, 3)
                x = numbers(dtype, (1, 1, 1, 6), 200 + stream)
                attrs = {"mrope_section": [1, 1, 1]}
                name = f"position_{label}_{stream_name}_unchecked_{SHORT[dtype]}"
                cases.expect(name, x, positions_array(positions).reshape(3, 1, 1), cos, sin, attrs, check="none")
    for dtype in DTYPES:
        for section in ([4, 2, 2], [4, 4, 8], [3, 3, 2]):
            half = sum(section)
            cos, sin = distinct_caches(dtype, 3, half)
            x = numbers(dtype, (1, 3, 4 * half), 210)
            for layout in (0, 1):
                for interleaved in (0, 1):
                    # The first token misses one stream, the second another, the third two of them.
                    positions = positions_array([[[0, 3, 1]], [[2**32, 1, -1]], [[2, 0, 7]]])
                    attrs = {
                        "num_heads": 2,
                        "mrope_section": section,
                        "mrope_layout": layout,
                        "interleaved": interleaved,
                    }
                    name = (
                        f"one_bad_stream_{'_'.join(map(str, section))}_layout{layout}_interleaved{interleaved}"
                        f"_{SHORT[dtype]}"
                    )
                    cases.expect(name, x, positions, cos, sin, attrs, check="none")
        cos, sin = caches(dtype, (1, 1), row=lambda r: 1)
        x = numbers(dtype, (1, 1, 1, 2), 211)
        name = f"row_of_the_padding_is_no_row_{SHORT[dtype]}"
        cases.expect(name, x, same_streams([[1]]), cos, sin, {"mrope_section": [1, 0, 0]}, check="none")
    text = "positionIds: value 59000 at index 1 (stream 1 height, batch 0, token 0) must be in [0, 32768), the cos rows"
    cases.refuse("position_59000_refused", text, positions=[[0], [59000], [0]], cos=(32768, 2))
    text = "positionIds: value 8 at index 11 (stream 2 width, batch 1, token 1) must be in [0, 8), the cos rows"
    cases.refuse(
        "position_bad_in_second_batch_refused",
        text,
        x=(2, 2, 8),
        positions=[[[0, 7], [1, 2]], [[0, 0], [0, 0]], [[3, 4], [5, 8]]],
    )
    text = (
        "positionIds: value 4294967294 at index 0 (stream 0 temporal, batch 0, token 0) must be in [0, 8), the cos rows"
    )
    cases.refuse(
        "position_underflowed_uint32_refused",
        text,
        positions=[[4294967294], [0], [0]],
        dtypes={"positionIds": "uint32"},
    )


def one_pair(dtype, words):
    """x, cos and sin of a single pair from the words of x0, x1, c and s."""
    return (
        from_bits(dtype, (1, 1, 1, 2), words[:2]),
        from_bits(dtype, (1, 1), [words[2]]),
        from_bits(dtype, (1, 1), [words[3]]),
    )


def numeric_cases(cases):
    """Rounding, scale, overflow, subnormals, infinities and NaN."""
    row_zero = same_streams([[0]])
    attrs = {"mrope_section": [1, 0, 0]}
    table = [
        ("sum_is_rounded_to_float32_first", [0x4287, 0xAB8B, 0x3C00, 0x243E], 1),
        ("products_overflow_float16", [0x7A00, 0x7900, 0x3E00, 0x3800], 1),
        ("subnormal_1_ties_to_even", [1, 0, 0x3800, 0], 1),
        ("subnormal_3_ties_to_even", [3, 0, 0x3800, 0], 1),
        ("subnormal_5_ties_to_even", [5, 0, 0x3800, 0], 1),
        ("subnormal_inputs", [0x03FF, 0x8001, 0x3C00, 0x3C00], 1),
        ("subnormal_cache", [0x7800, 0x7400, 0x0001, 0x8003], 1),
        ("scaled_factors_are_rounded", [0x3C00, 0x4000, 0x38CD, 0x3A66], 0.1),
        ("scaled_factors_overflow", [0x0400, 0x0001, 0x7BFF, 0xFBFF], 3),
        ("scaled_factors_at_the_overflow_midpoint", [0x0400, 0x0000, 0x7BFF, 0x0000], 65520 / 65504),
        ("scaled_factors_become_subnormal", [0x7800, 0x7400, 0x3C01, 0xBC03], 2.0**-20),
        ("scaled_factors_tie_at_half_a_subnormal", [0x7800, 0x7800, 0x3C00, 0x3E00], 2.0**-25),
        ("scaled_factors_tie_in_a_subnormal", [0x7800, 0x7800, 0x3E00, 0x4100], 2.0**-24),
        ("scaled_factors_become_zero", [0x7BFF, 0x7BFF, 0x3C00, 0xBC00], 2.0**-30),
        ("scale_1_up_to_float32", [0x4287, 0xAB8B, 0x3C00, 0x243E], 1 + 2.0**-30),
        ("scale_0", [0xBC00, 0x4000, 0x3800, 0x3800], 0),
    ]
    for name, words, scale in table:
        x, cos, sin = one_pair("float16", words)
        cases.expect(f"{name}_f16", x, row_zero, cos, sin, {**attrs, "scale": scale})
    infinity, nan = float("inf"), float("nan")
    special = [
        ("inf_1_half_half", (infinity, 1, 0.5, 0.5)),
        ("inf_inf_half_half", (infinity, infinity, 0.5, 0.5)),
        ("inf_1_0_1", (infinity, 1, 0, 1)),
        ("1_inf_1_0", (1, infinity, 1, 0)),
        ("nan_1_1_0", (nan, 1, 1, 0)),
        ("negative_zero", (-0.0, 1, 1, 0)),
        ("1_negative_zero", (1, -0.0, 1, 0)),
    ]
    for dtype in DTYPES:
        kind, short = NUMPY_TYPE[dtype], SHORT[dtype]
        for name, (x0, x1, c, s) in special:
            x = np.array([x0, x1], dtype=kind).reshape(1, 1, 1, 2)
            cos, sin = (np.array([[value]], dtype=kind) for value in (c, s))
            cases.expect(f"pair_{name}_{short}", x, row_zero, cos, sin, attrs)
        for head in (8, 6):
            # One bad pair leaves the others alone.
            x = numbers(dtype, (1, 1, 1, head), 300)
            x[0, 0, 0, 1], x[0, 0, 0, head - 1] = infinity, nan
            cos, sin = distinct_caches(dtype, 1, head // 2)
            for interleaved in (0, 1):
                more = {"mrope_section": [1, 1, head // 2 - 2], "interleaved": interleaved}
                cases.expect(
                    f"bad_pair_stays_alone_h{head}_interleaved{interleaved}_{short}", x, row_zero, cos, sin, more
                )
        for scale in (2, 0, -1, 0.1, 0.5, 1.25):
            for head, rotary in ((8, 0), (12, 8), (7, 4)):
                half = (rotary or head) // 2
                cos, sin = distinct_caches(dtype, 3, half)
                x = numbers(dtype, (1, 2, 2, head), 301)
                more = {
                    "num_heads": 2,
                    "rotary_embedding_dim": rotary,
                    "scale": scale,
                    "mrope_section": [half - 1, 1, 0],
                }
                name = f"scale_{scale}_h{head}_d{rotary}_{short}".replace("-", "minus")
                cases.expect(name, x, positions_array([[[2, 0]], [[1, 2]], [[0, 0]]]), cos, sin, more)
    positions = [[[8000]], [[7999]], [[0]]]
    cases.generated("position_8000_f16", "float16", (1, 2, 1, 64), 8001, positions, {"mrope_section": [16, 8, 8]})
    rows = list(range(2050))
    cases.generated(
        "rows_2048_and_2049_f16",
        "float16",
        (1, 2050, 6),
        2050,
        [[rows], [rows[::-1]], [rows]],
        {"num_heads": 1, "mrope_section": [1, 1, 1]},
    )
    store = [[[4, 5, 6]], [[6, 4, 5]], [[5, 6, 4]]]
    cases.generated(
        "store_rounding_32_heads_f16", "float16", (1, 32, 3, 128), 7, store, {"mrope_section": [24, 20, 20]}
    )


def refusal_cases(cases):
    refuse = cases.refuse
    refuse("positions_missing", "positionIds: required input is missing", positions=None)
    refuse("section_missing", "mrope_section: required attribute is missing", attrs={"mrope_section": None})
    refuse("unknown_attribute", "rotary: is not an attribute of MRotaryEmbedding", attrs={"rotary": 1})
    refuse("x_int32", "x: dtype int32 must be float32 or float16", dtypes={"x": "int32"})
    refuse("cos_of_another_type", "cos: dtype float32 must be float16 as x", dtypes={"x": "float16"})
    refuse("sin_of_another_type", "sin: dtype float16 must be float32 as x", dtypes={"sin": "float16"})
    refuse("positions_int32", "positionIds: dtype int32 must be int64", dtypes={"positionIds": "int32"})
    refuse("interleaved_2", "interleaved: 2 must be 0 or 1", attrs={"interleaved": 2})
    refuse("interleaved_half", "interleaved: 0.5 must be an integer", attrs={"interleaved": 0.5})
    refuse("mrope_layout_2", "mrope_layout: 2 must be 0 or 1", attrs={"mrope_layout": 2})
    refuse(
        "packed_batching_2",
        "is_packed_batching: 2 must be 0 or 1",
        attrs={"is_packed_batching": 2},
    )
    refuse("scale_beyond_float32", "must be finite as float32", attrs={"scale": 1e39})
    refuse(
        "rotary_dim_negative",
        "rotary_embedding_dim: -2 must be 0 or a positive even number",
        attrs={"rotary_embedding_dim": -2},
    )
    refuse(
        "rotary_dim_odd",
        "rotary_embedding_dim: 3 must be 0 or a positive even number",
        attrs={"rotary_embedding_dim": 3},
    )
    refuse(
        "rotary_dim_7_of_64",
        "rotary_embedding_dim: 7 must be 0 or a positive even number",
        x=(1, 1, 1, 64),
        attrs={"rotary_embedding_dim": 7},
    )
    refuse(
        "rotary_dim_above_head",
        "rotary_embedding_dim: 128 must be <= head size = 64",
        x=(1, 1, 1, 64),
        cos=(8, 64),
        attrs={"rotary_embedding_dim": 128},
    )
    refuse("num_heads_negative", "num_heads: -1 must be >= 0", x=(1, 1, 1, 4), attrs={"num_heads": -1})
    refuse("x_rank_2", "x: rank 2 must be 3 or 4", x=(1, 8))
    refuse("x_rank_5", "x: rank 5 must be 3 or 4", x=(1, 1, 1, 1, 8))
    refuse("num_heads_missing", "num_heads: missing, must be >= 1 for rank-3 x", attrs={"num_heads": None})
    refuse("num_heads_0", "num_heads: 0 must be >= 1 for rank-3 x", attrs={"num_heads": 0})
    refuse(
        "num_heads_0_with_rotary_dim",
        "num_heads: 0 must be >= 1 when rotary_embedding_dim is 4",
        x=(1, 1, 1, 8),
        attrs={"num_heads": 0, "rotary_embedding_dim": 4},
    )
    refuse(
        "hidden_size_indivisible",
        "x: hidden size 30 must be a multiple of num_heads = 4",
        x=(1, 1, 30),
        attrs={"num_heads": 4},
    )
    refuse(
        "head_size_odd",
        "x: head size 7 must be even, or rotary_embedding_dim set to an even number <= 6",
        x=(1, 1, 1, 7),
    )
    refuse("two_sections", "mrope_section: 2 values must be 3", attrs={"mrope_section": [1, 1]})
    refuse("section_negative", "mrope_section: value -1 at index 1 must be >= 0", attrs={"mrope_section": [3, -1, 0]})
    refuse(
        "section_not_integer",
        "mrope_section: value 0.5 at index 0 must be an integer",
        attrs={"mrope_section": [0.5, 1.5, 0]},
    )
    refuse("section_sum", "mrope_section: sum 3 must be rotary_dim / 2 = 2", attrs={"mrope_section": [1, 1, 1]})
    refuse(
        "section_sum_of_head_not_of_rotary_dim",
        "mrope_section: sum 4 must be rotary_dim / 2 = 2",
        x=(1, 1, 1, 8),
        attrs={"rotary_embedding_dim": 4, "mrope_section": [2, 1, 1]},
    )
    refuse(
        "section_sum_overflows_32_bits",
        "mrope_section: sum 4294967297 must be rotary_dim / 2 = 1",
        x=(1, 1, 1, 2),
        cos=(8, 1),
        attrs={"mrope_section": [2147483647, 2147483647, 3]},
    )
    refuse("cache_rank_3", "cos: rank 3 must be 2 with positionIds", cos=(1, 8, 2))
    refuse(
        "cache_wider_than_rotary_dim",
        "cos: width 4 must be rotary_dim / 2 = 2",
        x=(1, 1, 1, 8),
        cos=(8, 4),
        attrs={"rotary_embedding_dim": 4},
    )
    refuse(
        "cache_narrower_than_head",
        "cos: width 2 must be rotary_dim / 2 = 4",
        x=(1, 1, 16),
        attrs={"mrope_section": [2, 1, 1]},
    )
    refuse("sin_of_another_shape", "sin: shape [8,3] must be cos shape = [8,2]", sin=(8, 3))
    refuse("positions_of_one_stream", "positionIds: shape [1,1,1] must be [3,1,1]", positions=[[0]])
    refuse("positions_rank_1", "positionIds: rank 1 must be 3", positions=[0, 0, 0])
    refuse(
        "positions_not_broadcast", "positionIds: shape [3,1,3] must be [3,2,3]", x=(2, 3, 8), positions=[[0, 1, 2]] * 3
    )
    refuse("cache_without_rows", "cos: 0 rows must be >= 1", cos=(0, 2))


def empty_cases(cases):
    table = [
        ("rank4_batch", (0, 2, 3, 8), 4, {}),
        ("rank4_heads", (2, 0, 3, 8), 4, {}),
        ("rank4_sequence", (2, 2, 0, 8), 4, {}),
        ("rank4_head_size", (2, 2, 3, 0), 0, {}),
        ("rank3_batch", (0, 3, 16), 4, {"num_heads": 2}),
        ("rank3_sequence", (2, 0, 16), 4, {"num_heads": 2}),
        ("rank3_hidden", (2, 3, 0), 0, {"num_heads": 2}),
        ("rank4_sequence_odd_head", (2, 2, 0, 7), 2, {"num_heads": 2, "rotary_embedding_dim": 4}),
    ]
    for dtype in DTYPES:
        kind = NUMPY_TYPE[dtype]
        for name, shape, half, attrs in table:
            for rows in (5, 0):
                batch, sequence = layout_of(shape, attrs)[:2]
                x, cache = np.zeros(shape, kind), np.zeros((rows, half), kind)
                positions = np.zeros((3, batch, sequence), np.int64)
                section = {"mrope_section": [half - half // 2, half // 2, 0]}
                cases.expect(
                    f"empty_{name}_{rows}_rows_{SHORT[dtype]}", x, positions, cache, cache.copy(), section | attrs
                )


def rotary_dims(head):
    """0 when the head is even, and a few even numbers up to the head size: small, in the middle, the largest."""
    middle = head // 4 * 2
    whole = {0} if head % 2 == 0 else set()
    return sorted(
        whole
        | {
            d
            for d in (2, middle, head // 8 * 4, head // 8 * 8 - 8, head - 1 - head % 2)
            if 2 <= d < head and d % 2 == 0
        }
    )


def sweep_cases(cases):
    """Every head size with its rotary sizes, types, ranks and pairings; the rest cycles at coprime periods."""
    sequences, head_counts, batches = (1, 3, 7, 2, 16), (1, 3, 4, 2), (1, 2, 3)
    count = 0
    for head in (2, 4, 5, 6, 7, 8, 10, 14, 64, 72, 80, 96, 128, 256):
        for rotary in rotary_dims(head):
            for dtype in DTYPES:
                for rank in (3, 4):
                    for interleaved in (0, 1):
                        batch, sequence, heads = batches[count % 3], sequences[count % 5], head_counts[count % 4]
                        stream = Stream(count)
                        shape = (batch, sequence, heads * head) if rank == 3 else (batch, heads, sequence, head)
                        half = (rotary or head) // 2
                        temporal = stream.next() % (half + 1)
                        height = stream.next() % (half - temporal + 1)
                        attrs = {
                            "interleaved": interleaved,
                            "mrope_layout": (count // 7) % 2,
                            "num_heads": heads,
                            "rotary_embedding_dim": rotary,
                            "mrope_section": [temporal, height, half - temporal - height],
                        }
                        if count % 11 < 3:
                            attrs["scale"] = (0.1, 2, -0.75)[count % 11]
                        rows = [[[stream.next() % 32 for _ in range(sequence)] for _ in range(batch)] for _ in range(3)]
                        name = (
                            f"sweep_{SHORT[dtype]}_rank{rank}_b{batch}s{sequence}n{heads}_h{head}_d{rotary}"
                            f"_interleaved{interleaved}_layout{attrs['mrope_layout']}"
                        )
                        cases.generated(name, dtype, shape, 32, rows, attrs)
                        count += 1


def partial_cases(cases):
    rows = [[[63, 0, 17, 4, 31]], [[1, 2, 3, 4, 5]], [[60, 50, 40, 30, 20]]]
    for head, rotary in ((128, 32), (80, 20), (64, 16), (256, 64)):
        for dtype in DTYPES:
            for interleaved in (0, 1):
                third = rotary // 6
                attrs = {
                    "interleaved": interleaved,
                    "rotary_embedding_dim": rotary,
                    "num_heads": 3,
                    "mrope_section": [rotary // 2 - 2 * third, third, third],
                }
                name = f"partial_{head}_{rotary}_interleaved{interleaved}_{SHORT[dtype]}"
                cases.generated(name, dtype, (1, 3, 5, head), 64, rows, attrs)
    attrs = {"rotary_embedding_dim": 64, "num_heads": 2, "mrope_section": [12, 10, 10]}
    cases.generated(
        "partial_128_64_tall_cache_f32",
        "float32",
        (1, 2, 2, 128),
        10240,
        [[[10239, 8191]], [[5, 10238]], [[9999, 0]]],
        attrs,
    )


def large_cases(cases):
    # More than 65535 workgroups of 256: the grid has two rows. One token, so that the positions stay few.
    two_rows = [[[1]], [[2]], [[0]]]
    cases.generated(
        "grid_of_two_rows_f16",
        "float16",
        (1, 1, 2 * 16776961),
        3,
        two_rows,
        {"num_heads": 16776961, "mrope_section": [0, 1, 0]},
    )
    cases.generated("heads_65537_f32", "float32", (1, 65537, 1, 6), 3, two_rows, {"mrope_section": [1, 1, 1]})
    cases.generated(
        "heads_131073_quad_f16",
        "float16",
        (1, 1, 131073 * 16),
        3,
        two_rows,
        {"num_heads": 131073, "mrope_section": [4, 2, 2], "interleaved": 1},
    )


def test_file():
    cases = Cases()
    stream_cases(cases)
    layout_cases(cases)
    copied_bits_cases(cases)
    position_cases(cases)
    numeric_cases(cases)
    refusal_cases(cases)
    empty_cases(cases)
    partial_cases(cases)
    sweep_cases(cases)
    large_cases(cases)
    return cases_text(cases.list)


def bench_file():
    table = [
        ("prefill_b1_s4096_n28_h128_rank3", (1, 4096, 28 * 128), {"num_heads": 28, "mrope_section": [16, 24, 24]}),
        ("prefill_b1_n28_s4096_h128", (1, 28, 4096, 128), {"mrope_section": [16, 24, 24]}),
        ("prefill_b1_n28_s4096_h128_striped", (1, 28, 4096, 128), {"mrope_section": [24, 20, 20], "mrope_layout": 1}),
        ("prefill_b4_n32_s8192_h128", (4, 32, 8192, 128), {"mrope_section": [16, 24, 24]}),
        (
            "prefill_b1_n32_s2048_h256_d64",
            (1, 32, 2048, 256),
            {"num_heads": 32, "rotary_embedding_dim": 64, "mrope_section": [12, 10, 10], "mrope_layout": 1},
        ),
        (
            "prefill_b1_n28_s4096_h128_interleaved",
            (1, 28, 4096, 128),
            {"mrope_section": [16, 24, 24], "interleaved": 1},
        ),
        ("prefill_b1_n28_s4096_h128_scaled", (1, 28, 4096, 128), {"mrope_section": [16, 24, 24], "scale": 0.1}),
        ("prefill_b1_n32_s2048_h90_scalar", (1, 32, 2048, 90), {"mrope_section": [15, 15, 15]}),
        ("decode_b1_n28_s1_h128", (1, 28, 1, 128), {"mrope_section": [16, 24, 24]}),
        ("decode_b64_n28_s1_h128", (64, 28, 1, 128), {"mrope_section": [16, 24, 24]}),
    ]
    cases = []
    for name, shape, attrs in table:
        batch, sequence = layout_of(shape, attrs)[:2]
        cache = [max(sequence, 4096), half_of(shape, attrs)]
        for dtype in DTYPES:
            inputs = {
                key: {"dtype": dtype, "shape": list(value)}
                for key, value in (("x", shape), ("cos", cache), ("sin", cache))
            }
            inputs["positionIds"] = {"dtype": "int64", "shape": [3, batch, sequence]}
            cases.append({"name": f"{name}_{SHORT[dtype]}", "inputs": inputs, "attrs": attrs})
    return cases_text(cases)


if __name__ == "__main__":
    sys.exit(write_package(OPERATOR, __doc__.splitlines()[0], {"test.json": test_file(), "bench.json": bench_file()}))
