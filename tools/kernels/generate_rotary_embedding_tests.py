#!/usr/bin/env python3
"""Writes test.json and bench.json of the package ai.onnx.RotaryEmbedding.

usage: generate_rotary_embedding_tests.py [--check] [PACKAGE_DIR]

The output is a function of this file: inputs come from an integer generator and decimals rounded to six digits, so
neither the numpy version nor the C library shows. Expected values are computed here from the operator's definition:

    (y0, y1) = (x0 * c - x1 * s, x0 * s + x1 * c)

float32 in double precision and rounded once; float16 in float32, where both products are exact, and rounded once.
What is not rotated keeps its bits.

Keys of a case beyond the published format: `expectVariant` (the variant that must run), `expectError` (the call must
be refused with a message that contains this), `check: "none"` (position values are not checked by the host), and the
data kind `bits` (the words of float data as unsigned integers). `fillFloat32` data of a float16 tensor is rounded to
nearest even. A case whose output has no data is compared with the reference of the program that runs it.

bench.json: {"cases": [{"name", "inputs": {key: {"dtype", "shape"}}, "attrs"}]}. A bench case has no data: x and the
caches take any finite values, and positionIds count up from 0 in every batch.
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
# Inputs are below 2 and caches at most 1, so products are below 2 and the bound 2 * ulp32 is 2 ** -22 * 2.
FLOAT32_TOLERANCE = 5e-7


class Stream:
    """A small generator whose numbers depend on the seed alone (constants of Numerical Recipes' LCG)."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state >> 8

    def decimal(self):
        """A multiple of 0.0001 in [-1.9, 1.9)."""
        return (self.next() % 38000 - 19000) / 10000


def half_of(attrs, head):
    return (attrs.get("rotary_embedding_dim", 0) or head) // 2


def layout_of(x, attrs):
    """(batch, sequence, heads, head size)"""
    if x.ndim == 3:
        heads = attrs["num_heads"]
        return x.shape[0], x.shape[1], heads, x.shape[2] // heads
    return x.shape[0], x.shape[2], x.shape[1], x.shape[3]


def reference(x, cos, sin, positions, attrs):
    """The operator on arrays. A position outside the cache leaves the token unchanged."""
    batch, sequence, heads, head = layout_of(x, attrs)
    half = half_of(attrs, head)
    y = x.copy()
    rows = y.reshape(batch, sequence, heads, head) if x.ndim == 3 else y.transpose(0, 2, 1, 3)
    wide = np.float64 if x.dtype == np.float32 else np.float32
    pairs = np.arange(half)
    first, second = (2 * pairs, 2 * pairs + 1) if attrs.get("interleaved", 0) else (pairs, pairs + half)
    for b in range(batch):
        for s in range(sequence):
            if positions is None:
                c, n = cos[b, s], sin[b, s]
            else:
                row = int(positions[b, s])
                if not 0 <= row < cos.shape[0]:
                    continue
                c, n = cos[row], sin[row]
            c, n = c.astype(wide), n.astype(wide)
            x0, x1 = rows[b, s][:, first].astype(wide), rows[b, s][:, second].astype(wide)
            with np.errstate(all="ignore"):
                rows[b, s][:, first] = (x0 * c - x1 * n).astype(x.dtype)
                rows[b, s][:, second] = (x0 * n + x1 * c).astype(x.dtype)
    return y


def variant_of(shape, has_positions, attrs):
    """The variant that the selection table of the card names."""
    head = shape[3] if len(shape) == 4 else shape[2] // attrs["num_heads"]
    name = f"rank{len(shape)}_{'cache2_pos' if has_positions else 'cache3'}"
    if head % 4 != 0:
        return name
    return name + ("_quad" if half_of(attrs, head) % 4 == 0 else "_output_vec4")


def number(value):
    """The shortest decimal that reads back as the same value."""
    text = float(str(value))
    return int(text) if text == int(text) and not (text == 0 and math.copysign(1, text) < 0) else text


def literal(array):
    """A tensor with its values: decimals where all are finite, else bits."""
    dtype = next(name for name, kind in NUMPY_TYPE.items() if array.dtype == kind)
    if dtype in WORD_TYPE:
        if np.isfinite(array).all():
            data = {"kind": "values", "values": [number(value) for value in array.ravel()]}
        else:
            data = {"kind": "bits", "values": array.view(WORD_TYPE[dtype]).ravel().tolist()}
    else:
        # int64 beyond 2^53 is a decimal string.
        data = {"kind": "values", "values": [v if abs(v) <= 2**53 else str(v) for v in array.ravel().tolist()]}
    return {"dtype": dtype, "shape": list(array.shape), "data": data}


def filled(dtype, shape, sin_step, cos_step, scale=1):
    data = {"kind": "fillFloat32", "sinStep": sin_step, "cosStep": cos_step, "scale": scale}
    return {"dtype": dtype, "shape": list(shape), "data": data}


def from_bits(dtype, shape, words):
    return np.array(words, dtype=WORD_TYPE[dtype]).view(NUMPY_TYPE[dtype]).reshape(shape)


def numbers(dtype, shape, seed):
    stream = Stream(seed)
    return np.array([stream.decimal() for _ in range(math.prod(shape))], dtype=NUMPY_TYPE[dtype]).reshape(shape)


def caches(dtype, shape, base=10000.0, row=lambda index: index):
    """Cosines and sines of the usual angles; `row` maps the flat row index to a position."""
    half = shape[-1]
    angles = [row(r) * base ** (-p / half) for r in range(math.prod(shape[:-1])) for p in range(half)]
    rounded = ([round(function(angle), 6) for angle in angles] for function in (math.cos, math.sin))
    return tuple(np.array(values, dtype=NUMPY_TYPE[dtype]).reshape(shape) for values in rounded)


class Cases:
    def __init__(self):
        self.list = []

    def add(self, name, inputs, attrs, **keys):
        case = {"name": name, "inputs": {key: value for key, value in inputs.items() if value is not None}}
        if attrs:
            case["attrs"] = attrs
        case.update(keys)
        self.list.append(case)

    def expect(self, name, x, cos, sin, positions=None, attrs=None, tolerance=None, check=None):
        """A case with literal data and the expected output."""
        attrs = attrs or {}
        inputs = {"x": x, "cos": cos, "sin": sin, "positionIds": positions}
        inputs = {key: None if value is None else literal(value) for key, value in inputs.items()}
        y = reference(x, cos, sin, positions, attrs)
        output = literal(y)
        if tolerance is None:
            tolerance = FLOAT32_TOLERANCE if x.dtype == np.float32 else 0
        output = {"dtype": output["dtype"], "shape": output["shape"], "tolerance": tolerance, "data": output["data"]}
        keys = {"expectVariant": variant_of(x.shape, positions is not None, attrs)}
        if check is not None:
            keys["check"] = check
        self.add(name, inputs, attrs, outputs={"y": output}, **keys)

    def generated(self, name, dtype, x, cache, positions=None, attrs=None, **keys):
        """A case whose data are formulas; the runner's reference gives the expected values."""
        attrs = attrs or {}
        inputs = {
            "x": filled(dtype, x, 0.37, 0.91),
            "cos": filled(dtype, cache, 0.53, 0.29, 0.5),
            "sin": filled(dtype, cache, 0.71, 0.43, 0.5),
            "positionIds": None if positions is None else literal(np.array(positions, dtype=np.int64)),
        }
        output = {"dtype": dtype, "shape": list(x), "tolerance": 2e-6 if dtype == "float32" else 0}
        variant = variant_of(x, positions is not None, attrs)
        self.add(name, inputs, attrs, outputs={"y": output}, expectVariant=variant, **keys)

    def refuse(self, name, text, x, cos, sin=None, positions=None, attrs=None, dtypes=None):
        """A request that must be refused with a message that contains `text`. Shapes, and positions as an array.

        `sin` None is the shape of `cos`, False leaves it out.
        """
        dtypes = dtypes or {}
        ones = {"kind": "fillFloat32", "sinStep": 0, "cosStep": 0, "scale": 1}
        inputs = {}
        for key, shape in (("x", x), ("cos", cos), ("sin", cos if sin is None else sin)):
            if not shape:
                continue
            dtype = dtypes.get(key, "float32")
            zeros = {"kind": "values", "values": [0] * math.prod(shape)}
            inputs[key] = {"dtype": dtype, "shape": list(shape), "data": ones if dtype == "float32" else zeros}
        if positions is not None:
            dtype = dtypes.get("positionIds", "int64")
            inputs["positionIds"] = literal(np.array(positions, dtype=NUMPY_TYPE[dtype]))
        self.add(name, inputs, attrs or {}, expectError=text)


def positions_array(values):
    return np.array(values, dtype=np.int64)


def onnx_node_cases(cases):
    """The operator's published node tests: their names, shapes and attributes, with our own numbers."""
    table = [
        ("", (2, 4, 3, 8), (50, 4), True, {}),
        ("_3d_input", (2, 3, 32), (50, 4), True, {"num_heads": 4}),
        ("_interleaved", (2, 4, 3, 8), (50, 4), True, {"interleaved": 1}),
        ("_with_rotary_dim", (2, 4, 3, 8), (50, 2), True, {"rotary_embedding_dim": 4}),
        ("_with_interleaved_rotary_dim", (2, 4, 3, 8), (50, 2), True, {"interleaved": 1, "rotary_embedding_dim": 4}),
        ("_no_position_ids", (2, 4, 3, 8), (2, 3, 4), False, {}),
        ("_no_position_ids_interleaved", (2, 4, 3, 8), (2, 3, 4), False, {"interleaved": 1}),
        ("_no_position_ids_rotary_dim", (2, 4, 3, 8), (2, 3, 2), False, {"rotary_embedding_dim": 4}),
    ]
    for seed, (suffix, shape, cache, gathered, attrs) in enumerate(table):
        cos, sin = caches("float32", cache)
        positions = positions_array([[7, 0, 49], [20, 3, 3]]) if gathered else None
        cases.expect("test_rotary_embedding" + suffix, numbers("float32", shape, seed), cos, sin, positions, attrs)


def layout_cases(cases):
    """Which element is which: layouts, pairing, rows and columns, in both types."""
    for dtype in ("float32", "float16"):
        short = SHORT[dtype]
        cos, sin = caches(dtype, (16, 4))
        x = numbers(dtype, (2, 3, 32), 100)
        positions = positions_array([[0, 5, 2], [15, 1, 1]])
        cases.expect(f"rank3_heads_inside_token_{short}", x, cos, sin, positions, {"num_heads": 4})
        twin = numbers(dtype, (2, 4, 3, 8), 100)
        cases.expect(f"rank4_twin_of_rank3_{short}", twin, cos, sin, positions)
        cos, sin = caches(dtype, (8, 2))
        x = numbers(dtype, (1, 2, 3, 4), 101)
        positions = positions_array([[1, 2, 3]])
        cases.expect(f"rank4_order_{short}", x, cos, sin, positions)
        cases.expect(f"rank4_ignores_num_heads_{short}", x, cos, sin, positions, {"num_heads": 7})
        cos, sin = caches(dtype, (2, 3, 2), row=lambda r: 3 * r + 1)
        cases.expect(f"batch_boundary_cache3_{short}", numbers(dtype, (2, 3, 8), 102), cos, sin, None, {"num_heads": 2})
        cases.expect(f"batch_boundary_cache3_rank4_{short}", numbers(dtype, (2, 2, 3, 4), 103), cos, sin)
        cos, sin = caches(dtype, (4, 2))
        x = numbers(dtype, (3, 2, 1, 4), 104)
        cases.expect(f"every_batch_rotates_{short}", x, cos, sin, positions_array([[2], [1], [0]]))
        cos, sin = caches(dtype, (3, 16), base=7.0, row=lambda r: r + 1)
        x = numbers(dtype, (1, 1, 2, 32), 105)
        for interleaved in (0, 1):
            attrs = {"interleaved": interleaved}
            cases.expect(f"column_of_a_pair_interleaved{interleaved}_{short}", x, cos, sin, positions_array([[2, 0]]), attrs)
        cos, sin = caches(dtype, (4, 2), row=lambda r: r + 1)
        x = numbers(dtype, (1, 1, 2, 8), 106)
        for interleaved in (0, 1):
            attrs = {"interleaved": interleaved, "rotary_embedding_dim": 4}
            cases.expect(f"partial_pairs_interleaved{interleaved}_{short}", x, cos, sin, positions_array([[0, 3]]), attrs)
        cos, sin = caches(dtype, (2, 4), row=lambda r: r + 1)
        x = numbers(dtype, (1, 1, 2, 8), 107)
        positions = positions_array([[1, 0]])
        cases.expect(f"explicit_full_rotation_{short}", x, cos, sin, positions, {"rotary_embedding_dim": 8})
        cases.expect(f"implicit_full_rotation_{short}", x, cos, sin, positions)
        cos, sin = caches(dtype, (3, 2))
        x = numbers(dtype, (1, 5, 4), 108)
        cases.expect(f"packed_positions_restart_{short}", x, cos, sin, positions_array([[0, 1, 2, 0, 1]]), {"num_heads": 1})
        cos, sin = caches(dtype, (16, 2))
        x = numbers(dtype, (1, 2, 8), 109)
        cases.expect(f"cache_taller_than_sequence_{short}", x, cos, sin, positions_array([[15, 14]]), {"num_heads": 2})
        cos, sin = caches(dtype, (1, 3, 2))
        x = numbers(dtype, (1, 3, 8), 110)
        attrs = {"num_heads": 2, "interleaved": 1}
        cases.expect(f"exact_size_interleaved_{short}", x, cos, sin, None, attrs)
        cos, sin = caches(dtype, (4, 16))
        x = numbers(dtype, (1, 2, 1, 80), 111)
        cases.expect(f"cache_width_is_half_of_rotary_dim_{short}", x, cos, sin, positions_array([[3]]), {"rotary_embedding_dim": 32})
    positions = np.array([[3, 0]], dtype=np.uint32)
    cos, sin = caches("float32", (4, 2))
    cases.expect("positions_in_storage_form", numbers("float32", (1, 1, 2, 4), 112), cos, sin, positions)


def copied_bits_cases(cases):
    """Tails and tokens without a cache row keep their bits, whatever they are."""
    odd_bits = {
        "float32": [0x7F923456, 0x80000000, 0x00000007, 0xFF800000, 0x7FC00001, 0xFFBADBAD, 0x007FFFFF, 0x80000001],
        "float16": [0x7D01, 0x8000, 0x0007, 0xFC00, 0x7E01, 0xFDAD, 0x03FF, 0x8001],
    }
    for dtype, words in odd_bits.items():
        short = SHORT[dtype]
        ones = [0x3F800000 if dtype == "float32" else 0x3C00]
        for head, rotary in ((6, 2), (8, 2), (10, 4), (8, 4), (12, 4), (16, 8), (20, 8), (24, 8)):
            tail = (words * 3)[: head - rotary]
            x = from_bits(dtype, (1, 1, 2, head), (ones * rotary + tail) * 2)
            cos, sin = caches(dtype, (3, rotary // 2))
            for interleaved in (0, 1):
                attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                name = f"tail_bits_h{head}_d{rotary}_interleaved{interleaved}_{short}"
                cases.expect(name, x, cos, sin, positions_array([[2, 1]]), attrs)
        for head in (6, 8, 10, 12, 16):
            x = from_bits(dtype, (1, 2, 2 * head), (words * 8)[: 4 * head])
            cos, sin = caches(dtype, (2, head // 2))
            for interleaved in (0, 1):
                attrs = {"num_heads": 2, "interleaved": interleaved}
                positions = positions_array([[2, 2**32]])
                name = f"no_row_keeps_bits_h{head}_interleaved{interleaved}_{short}"
                cases.expect(name, x, cos, sin, positions, attrs, check="none")


def position_cases(cases):
    """Positions without a row: refused when the host checks, unchanged tokens when it does not."""
    x, cache = (1, 1, 8), (8, 2)
    for label, value in (("2048", 2048), ("minus1", -1), ("2pow32", 2**32), ("2pow32_plus1", 2**32 + 1),
                         ("2pow63_minus1", 2**63 - 1), ("minus_2pow31", -(2**31)), ("minus_2pow63", -(2**63))):
        text = f"positionIds: value {value} at index 0 must be in [0, 8), the cos rows"
        cases.refuse(f"position_{label}_refused", text, x, cache, positions=[[value]], attrs={"num_heads": 2})
        for dtype in ("float32", "float16"):
            cos, sin = caches(dtype, cache, row=lambda r: r + 1)
            name = f"position_{label}_unchecked_{SHORT[dtype]}"
            values = numbers(dtype, x, 200)
            cases.expect(name, values, cos, sin, positions_array([[value]]), {"num_heads": 2}, check="none")
    text = "positionIds: value 4294967294 at index 0 must be in [0, 8), the cos rows"
    cases.refuse("position_underflowed_uint32_refused", text, x, cache, positions=[[4294967294]],
                 attrs={"num_heads": 2}, dtypes={"positionIds": "uint32"})
    cos, sin = caches("float32", cache, row=lambda r: r + 1)
    cases.expect("position_underflowed_uint32_unchecked", numbers("float32", x, 201), cos, sin,
                 np.array([[4294967294]], dtype=np.uint32), {"num_heads": 2}, check="none")
    text = "positionIds: value 100 at index 2 must be in [0, 8), the cos rows"
    cases.refuse("position_bad_in_second_batch_refused", text, (2, 2, 8), cache, positions=[[0, 7], [100, 1]],
                 attrs={"num_heads": 2})
    for dtype in ("float32", "float16"):
        for head in (2, 4, 8):
            cos, sin = caches(dtype, (8, head // 2), row=lambda r: r + 1)
            values = numbers(dtype, (2, 2, 2 * head), 202)
            cases.expect(f"position_bad_in_second_batch_unchecked_h{head}_{SHORT[dtype]}", values, cos, sin,
                         positions_array([[0, 7], [8, 1]]), {"num_heads": 2}, check="none")
    cos, sin = caches("float16", (1, 1), row=lambda r: 1)
    values = numbers("float16", (1, 1, 1, 2), 203)
    cases.expect("row_of_the_padding_is_no_row", values, cos, sin, positions_array([[1]]), check="none")


def numeric_cases(cases):
    """Rounding, overflow, subnormals, infinities and NaN."""
    one_pair = lambda dtype, words: [from_bits(dtype, (1, 1, 1, 2), words[:2])] + [
        from_bits(dtype, (1, 1, 1), [word]) for word in words[2:]
    ]
    half_words = [
        ("sum_is_rounded_to_float32_first", [0x4287, 0xAB8B, 0x3C00, 0x243E]),
        ("products_overflow_float16", [0x7A00, 0x7900, 0x3E00, 0x3800]),
        ("cancellation", [17130, 16673, 47187, 47803]),
    ]
    for name, words in half_words:
        cases.expect(f"{name}_f16", *one_pair("float16", words))
    for k in (1, 3, 5):
        cases.expect(f"subnormal_{k}_ties_to_even_f16", *one_pair("float16", [k, 0, 0x3800, 0]))
    cases.expect("subnormal_inputs_f16", *one_pair("float16", [0x03FF, 0x8001, 0x3C00, 0x3C00]))
    cases.expect("subnormal_cache_f16", *one_pair("float16", [0x7800, 0x7400, 0x0001, 0x8003]))
    infinity, nan = float("inf"), float("nan")
    table = [
        ("inf_1_half_half", (infinity, 1, 0.5, 0.5)),
        ("inf_inf_half_half", (infinity, infinity, 0.5, 0.5)),
        ("inf_1_0_1", (infinity, 1, 0, 1)),
        ("1_inf_1_0", (1, infinity, 1, 0)),
        ("nan_1_1_0", (nan, 1, 1, 0)),
        ("negative_zero", (-0.0, 1, 1, 0)),
        ("1_negative_zero", (1, -0.0, 1, 0)),
    ]
    for dtype in ("float32", "float16"):
        kind = NUMPY_TYPE[dtype]
        for name, (x0, x1, c, s) in table:
            x = np.array([x0, x1], dtype=kind).reshape(1, 1, 1, 2)
            cos, sin = (np.array([value], dtype=kind).reshape(1, 1, 1) for value in (c, s))
            cases.expect(f"pair_{name}_{SHORT[dtype]}", x, cos, sin)
        for head in (8, 12, 6):
            # One bad pair leaves the others alone.
            x = numbers(dtype, (1, 1, 1, head), 300)
            x[0, 0, 0, 1] = infinity
            x[0, 0, 0, head - 1] = nan
            cos, sin = caches(dtype, (1, 1, head // 2), row=lambda r: 1)
            for interleaved in (0, 1):
                name = f"bad_pair_stays_alone_h{head}_interleaved{interleaved}_{SHORT[dtype]}"
                cases.expect(name, x, cos, sin, None, {"interleaved": interleaved})
    cases.generated("store_rounding_32_heads_f16", "float16", (1, 32, 3, 128), (1, 3, 64))
    cases.generated("position_8000_f16", "float16", (1, 2, 1, 64), (8001, 32), [[8000]])
    cases.generated("rows_2048_and_2049_f16", "float16", (1, 2050, 6), (2050, 3), [list(range(2050))], {"num_heads": 1})


def refusal_cases(cases):
    attrs = {"num_heads": 2}
    zero = [[0]]
    cases.refuse("cos_missing", "cos: required input is missing", (1, 1, 8), None, (8, 2), positions=zero, attrs=attrs)
    cases.refuse("sin_missing", "sin: required input is missing", (1, 1, 8), (8, 2), False, positions=zero, attrs=attrs)
    cases.refuse("x_int32", "x: dtype int32 must be float32 or float16", (1, 1, 8), (8, 2), positions=zero, attrs=attrs,
                 dtypes={"x": "int32"})
    cases.refuse("cos_of_another_type", "cos: dtype float32 must be float16 as x", (1, 1, 8), (8, 2), positions=zero,
                 attrs=attrs, dtypes={"x": "float16"})
    cases.refuse("sin_of_another_type", "sin: dtype float16 must be float32 as x", (1, 1, 8), (8, 2), positions=zero,
                 attrs=attrs, dtypes={"sin": "float16"})
    cases.refuse("positions_int32", "positionIds: dtype int32 must be int64", (1, 1, 8), (8, 2), positions=zero, attrs=attrs,
                 dtypes={"positionIds": "int32"})
    cases.refuse("scale_is_no_attribute", "scale: is not an attribute of RotaryEmbedding", (1, 1, 8), (8, 2),
                 positions=zero, attrs={"num_heads": 2, "scale": 1})
    cases.refuse("interleaved_2", "interleaved: 2 must be 0 or 1", (1, 1, 8), (8, 2), positions=zero,
                 attrs={"num_heads": 2, "interleaved": 2})
    for value in (-2, 3, 7):
        text = f"rotary_embedding_dim: {value} must be 0 or a positive even number"
        cases.refuse(f"rotary_dim_{value}".replace("-", "minus"), text, (1, 1, 1, 64), (8, 32), positions=zero,
                     attrs={"rotary_embedding_dim": value})
    cases.refuse("rotary_dim_above_head", "rotary_embedding_dim: 128 must be <= head size = 64", (1, 1, 1, 64), (8, 64),
                 positions=zero, attrs={"rotary_embedding_dim": 128})
    cases.refuse("x_rank_2", "x: rank 2 must be 3 or 4", (1, 8), (8, 2), positions=zero, attrs=attrs)
    cases.refuse("x_rank_5", "x: rank 5 must be 3 or 4", (1, 1, 1, 1, 8), (8, 2), positions=zero, attrs=attrs)
    cases.refuse("num_heads_missing", "num_heads: missing, must be >= 1 for rank-3 x", (1, 1, 8), (8, 4), positions=zero)
    cases.refuse("num_heads_0", "num_heads: 0 must be >= 1 for rank-3 x", (1, 1, 8), (8, 4), positions=zero,
                 attrs={"num_heads": 0})
    cases.refuse("hidden_size_indivisible", "x: hidden size 30 must be a multiple of num_heads = 4", (1, 1, 30), (8, 4),
                 positions=zero, attrs={"num_heads": 4})
    cases.refuse("head_size_odd", "x: head size 5 must be even", (1, 1, 1, 5), (8, 2), positions=zero)
    cases.refuse("head_size_odd_partial", "x: head size 5 must be even", (1, 1, 1, 5), (8, 2), positions=zero,
                 attrs={"rotary_embedding_dim": 4})
    cases.refuse("cache_rank_without_positions", "cos: rank 2 must be 3 without positionIds", (1, 1, 1, 4), (8, 2))
    cases.refuse("cache_rank_with_positions", "cos: rank 3 must be 2 with positionIds", (1, 1, 1, 4), (1, 8, 2),
                 positions=zero)
    cases.refuse("cache_of_whole_head", "cos: width 64 must be rotary_dim / 2 = 32", (1, 1, 64), (2, 64), positions=zero,
                 attrs={"num_heads": 1})
    cases.refuse("cache_wider_than_rotary_dim", "cos: width 4 must be rotary_dim / 2 = 2", (2, 4, 3, 8), (50, 4),
                 positions=[[0, 1, 2], [3, 4, 5]], attrs={"rotary_embedding_dim": 4})
    cases.refuse("cache_narrower_than_head", "cos: width 2 must be rotary_dim / 2 = 4", (1, 1, 16), (8, 2), positions=zero,
                 attrs={"num_heads": 2})
    cases.refuse("sin_of_another_shape", "sin: shape [8,3] must be cos shape = [8,2]", (1, 1, 1, 4), (8, 2), (8, 3),
                 positions=zero)
    cases.refuse("cache3_batch", "cos: dimension 0 is 1, must be batch = 2", (2, 4, 3, 8), (1, 3, 4))
    cases.refuse("cache3_sequence", "cos: dimension 1 is 4, must be sequence length = 3", (2, 4, 3, 8), (2, 4, 4))
    cases.refuse("positions_rank", "positionIds: rank 1 must be 2", (1, 1, 1, 4), (8, 2), positions=[0])
    cases.refuse("positions_not_broadcast", "positionIds: shape [1,3] must be [2,3]", (2, 3, 32), (8, 4),
                 positions=[[0, 1, 2]], attrs={"num_heads": 4})
    cases.refuse("cache_without_rows", "cos: 0 rows must be >= 1", (1, 1, 1, 4), (0, 2), positions=zero)


def empty_cases(cases):
    def empty(name, dtype, x, cache, positions=None, attrs=None):
        kind = NUMPY_TYPE[dtype]
        cos = np.zeros(cache, kind)
        cases.expect(f"empty_{name}_{SHORT[dtype]}", np.zeros(x, kind), cos, cos.copy(), positions, attrs)

    for dtype in ("float32", "float16"):
        empty("batch", dtype, (0, 2, 3, 8), (0, 3, 4))
        empty("batch_with_positions", dtype, (0, 2, 3, 8), (4, 4), np.zeros((0, 3), np.int64))
        empty("heads", dtype, (2, 0, 3, 8), (2, 3, 4))
        empty("sequence", dtype, (2, 4, 0, 8), (2, 0, 4))
        empty("sequence_with_positions", dtype, (2, 4, 0, 8), (4, 4), np.zeros((2, 0), np.int64))
        empty("head_size", dtype, (2, 4, 3, 0), (2, 3, 0))
        empty("rank3_batch", dtype, (0, 3, 32), (4, 4), np.zeros((0, 3), np.int64), {"num_heads": 4})
        empty("rank3_sequence", dtype, (2, 0, 24), (2, 0, 3), None, {"num_heads": 4})
        empty("rank3_hidden", dtype, (2, 3, 0), (5, 0), np.zeros((2, 3), np.int64), {"num_heads": 4})
        empty("without_cache_rows", dtype, (2, 4, 0, 8), (0, 4), np.zeros((2, 0), np.int64))


def rotary_dims(head):
    """0, and a few even numbers up to the head size: the smallest, around the middle, the largest partial one."""
    middle = head // 4 * 2
    return sorted({0} | {d for d in (2, middle, middle + 2, head - 2, head // 8 * 8 - 8) if 2 <= d < head})


def sweep_cases(cases):
    """Every head size with its rotary sizes, types, ranks and pairings; the rest cycles at coprime periods."""
    sequences, head_counts, batches = (1, 3, 7, 2, 16), (1, 3, 4, 2), (1, 2, 3)
    count = 0
    for head in (2, 4, 6, 8, 10, 14, 64, 72, 80, 96, 128, 256):
        for rotary in rotary_dims(head):
            for dtype in ("float32", "float16"):
                for rank in (3, 4):
                    for interleaved in (0, 1):
                        sequence, heads = sequences[count % 5], head_counts[count % 4]
                        batch, gathered = batches[count % 3], (count // 7) % 2 == 0
                        shape = (batch, sequence, heads * head) if rank == 3 else (batch, heads, sequence, head)
                        half = (rotary or head) // 2
                        attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                        if rank == 3:
                            attrs["num_heads"] = heads
                        stream = Stream(count)
                        rows = [[stream.next() % 32 for _ in range(sequence)] for _ in range(batch)]
                        name = (f"sweep_{SHORT[dtype]}_rank{rank}_{'cache2' if gathered else 'cache3'}_b{batch}s{sequence}"
                                f"n{heads}_h{head}_d{rotary}_interleaved{interleaved}")
                        if gathered:
                            cases.generated(name, dtype, shape, (32, half), rows, attrs)
                        else:
                            cases.generated(name, dtype, shape, (batch, sequence, half), None, attrs)
                        count += 1


def partial_cases(cases):
    for head, rotary in ((128, 32), (80, 20), (64, 16), (256, 64)):
        for dtype in ("float32", "float16"):
            for interleaved in (0, 1):
                attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                name = f"partial_{head}_{rotary}_interleaved{interleaved}_{SHORT[dtype]}"
                cases.generated(name, dtype, (1, 3, 5, head), (64, rotary // 2), [[63, 0, 17, 4, 31]], attrs)
    attrs = {"rotary_embedding_dim": 64}
    cases.generated("partial_128_64_tall_cache_f32", "float32", (1, 2, 2, 128), (10240, 32), [[10239, 8191]], attrs)
    rows = [[(37 * s + b) % 128 for s in range(90)] for b in range(2)]
    cases.generated("head_72_interleaved_f32", "float32", (2, 16, 90, 72), (128, 36), rows, {"interleaved": 1})


def large_cases(cases):
    cases.generated("sequence_65537_scalar_f32", "float32", (1, 1, 65537, 6), (1, 65537, 3))
    cases.generated("sequence_65537_output_vec4_f16", "float16", (1, 65537, 4), (1, 65537, 2), None, {"num_heads": 1})
    cases.generated("batch_70000_quad_f16", "float16", (70000, 1, 2, 8), (70000, 2, 4))
    cases.generated("sequence_131073_quad_f16", "float16", (1, 1, 131073, 16), (1, 131073, 8), None, {"interleaved": 1})
    # More than 65535 workgroups of 256: the grid has two rows.
    cases.generated("grid_of_two_rows_f16", "float16", (1, 1, 16776961, 2), (1, 16776961, 1))


def test_file():
    cases = Cases()
    onnx_node_cases(cases)
    layout_cases(cases)
    copied_bits_cases(cases)
    position_cases(cases)
    numeric_cases(cases)
    refusal_cases(cases)
    empty_cases(cases)
    partial_cases(cases)
    sweep_cases(cases)
    large_cases(cases)
    names = [case["name"] for case in cases.list]
    assert len(names) == len(set(names)), "case names are unique"
    lines = ",\n    ".join(json.dumps(case, separators=(",", ":"), allow_nan=False) for case in cases.list)
    return '{\n  "cases": [\n    ' + lines + "\n  ]\n}\n"


def bench_file():
    table = [
        ("prefill_b4_n32_s8192_h128", (4, 32, 8192, 128), 128, True, {}),
        ("prefill_b1_n32_s2048_h128", (1, 32, 2048, 128), 128, True, {}),
        ("decode_b1_n32_s1_h128", (1, 32, 1, 128), 128, True, {}),
        ("decode_b64_n32_s1_h128", (64, 32, 1, 128), 128, True, {}),
        ("prefill_b1_n32_s2048_h128_interleaved", (1, 32, 2048, 128), 128, True, {"interleaved": 1}),
        ("prefill_b1_n32_s2048_h128_cache3", (1, 32, 2048, 128), 128, False, {}),
        ("prefill_b1_s2048_n32_h128_rank3", (1, 2048, 4096), 128, True, {"num_heads": 32}),
        ("prefill_b1_n32_s2048_h80_d20", (1, 32, 2048, 80), 20, True, {"rotary_embedding_dim": 20}),
        ("prefill_b1_n32_s2048_h128_d64", (1, 32, 2048, 128), 64, True, {"rotary_embedding_dim": 64}),
        ("prefill_b1_n16_s2048_h256", (1, 16, 2048, 256), 256, True, {}),
        ("prefill_b1_n32_s2048_h90_scalar", (1, 32, 2048, 90), 90, True, {}),
        ("prefill_b4_n32_s8192_h128_interleaved", (4, 32, 8192, 128), 128, True, {"interleaved": 1}),
        ("prefill_b4_s8192_n32_h128_rank3", (4, 8192, 4096), 128, True, {"num_heads": 32}),
        ("prefill_b4_n32_s8192_h128_d64", (4, 32, 8192, 128), 64, True, {"rotary_embedding_dim": 64}),
        ("prefill_b4_n32_s8192_h72", (4, 32, 8192, 72), 72, True, {}),
        ("prefill_b4_n128_s8192_h6_scalar", (4, 128, 8192, 6), 6, True, {}),
        ("prefill_b1_n16_s131072_h128", (1, 16, 131072, 128), 128, True, {}),
    ]
    cases = []
    for name, x, rotary, gathered, attrs in table:
        batch, sequence = x[0], x[1] if len(x) == 3 else x[2]
        cache = [max(sequence, 4096), rotary // 2] if gathered else [batch, sequence, rotary // 2]
        for dtype in ("float32", "float16"):
            inputs = {"x": x, "cos": cache, "sin": cache}
            inputs = {key: {"dtype": dtype, "shape": list(shape)} for key, shape in inputs.items()}
            if gathered:
                inputs["positionIds"] = {"dtype": "int64", "shape": [batch, sequence]}
            cases.append({"name": f"{name}_{SHORT[dtype]}", "inputs": inputs, "attrs": attrs})
    return '{\n  "cases": [\n    ' + ",\n    ".join(json.dumps(case) for case in cases) + "\n  ]\n}\n"


def main():
    package = pathlib.Path(__file__).resolve().parents[2] / "kernels" / "ai.onnx.RotaryEmbedding"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", nargs="?", type=pathlib.Path, default=package, metavar="PACKAGE_DIR")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    args = parser.parse_args()
    stale = 0
    for name, text in (("test.json", test_file()), ("bench.json", bench_file())):
        target = args.package / "build" / "webgpu" / name
        if not args.check:
            target.write_text(text, encoding="utf-8", newline="\n")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            print(f"{target} is out of date", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
