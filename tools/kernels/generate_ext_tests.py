#!/usr/bin/env python3
"""Writes test.json and bench.json of the wgk.* packages: rotary embeddings with more types, and in place.

usage: generate_ext_tests.py [--check]

Expected values are computed here, from the definition of the operators: float32 elements in double precision; 16-bit
elements in float32 when the caches have their type (the products are exact there), in double and through float32 when
the caches are float32. bfloat16 tensors are uint32 words. An expectation is left out where the definition leaves a
choice that words cannot express (a sum so near a rounding boundary that a fused multiplication matters, NaN, zero of
either sign); the program that runs the case then compares with its own reference. See case_data.py for the format.
"""
import argparse
import json
import math
import pathlib
import sys

import numpy as np

import case_data as data
from generate_ext_packages import KERNELS, PACKAGES

# Type of x and type of the caches.
KINDS = [("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("bf16", "bf16"), ("bf16", "f32")]
ARRAY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}
DTYPE = {"f32": "float32", "f16": "float16", "bf16": "uint32"}
FLOAT32_TOLERANCE = 5e-7  # products below 2: 2 ulp
FLOAT16_TOLERANCE = 1e-3  # one step of float16


def to_bfloat16(values):
    """float32 -> the upper half, ties to even."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, (bits >> 16) | 0x40, rounded).astype(np.uint16)


def narrow(kind, values):
    """Wide values -> elements; anything wider than float32 passes through it."""
    with np.errstate(all="ignore"):
        single = np.asarray(values).astype(np.float32)
        return to_bfloat16(single) if kind == "bf16" else single.astype(ARRAY[kind])


def widen(kind, elements, wide):
    if kind == "bf16":
        return (elements.astype(np.uint32) << 16).view(np.float32).astype(wide)
    return elements.astype(wide)


class Tensor:
    def __init__(self, kind, array):
        self.kind = kind
        self.array = np.ascontiguousarray(array, dtype=ARRAY[kind])

    @property
    def shape(self):
        return self.array.shape

    def words(self):
        flat = self.array.ravel()
        padded = np.append(flat, np.zeros(flat.size % 2, np.uint16))
        return np.ascontiguousarray(padded).view(np.uint32)

    def literal(self):
        return data.literal(self.words() if self.kind == "bf16" else self.array)


def numbers(kind, shape, seed):
    stream = data.Stream(seed)
    return Tensor(kind, narrow(kind, np.array([stream.decimal() for _ in range(math.prod(shape))])).reshape(shape))


def from_bits(kind, shape, words):
    if kind == "bf16":
        return Tensor(kind, np.array(words, np.uint16).reshape(shape))
    return Tensor(kind, data.from_bits(DTYPE[kind], shape, words))


def caches(kind, shape, row=lambda index: index + 1):
    half = shape[-1]
    angles = [row(r) * 100.0 ** (-p / half) for r in range(math.prod(shape[:-1])) for p in range(half)]
    rounded = ([round(function(angle), 6) for angle in angles] for function in (math.cos, math.sin))
    return tuple(Tensor(kind, narrow(kind, np.array(values)).reshape(shape)) for values in rounded)


def layout_of(shape, attrs):
    """(batch, sequence, heads, head size)"""
    if len(shape) == 3:
        heads = attrs["num_heads"]
        return shape[0], shape[1], heads, shape[2] // heads
    return shape[0], shape[2], shape[1], shape[3]


def half_of(attrs, head):
    return (attrs.get("rotary_embedding_dim", 0) or head) // 2


def streams(attrs, half):
    """Index of the position stream of every pair; 0 for one stream."""
    sections = attrs.get("mrope_section")
    result = np.zeros(half, int)
    for pair in range(half if sections else 0):
        if attrs.get("mrope_layout", 0) == 0:
            result[pair] = 0 if pair < sections[0] else 1 if pair < sections[0] + sections[1] else 2
        elif pair % 3 and pair < 3 * sections[pair % 3]:
            result[pair] = pair % 3
    return result


def rotation(x, cos, sin, positions, attrs):
    """(y, whether every device gives these bits)"""
    batch, sequence, heads, head = layout_of(x.shape, attrs)
    half = half_of(attrs, head)
    mixed = x.kind != cos.kind
    wide = np.float64 if mixed or x.kind == "f32" else np.float32
    scale = np.float32(attrs.get("scale", 1))
    y = Tensor(x.kind, x.array.copy())
    rows = y.array.reshape(batch, sequence, heads, head) if x.array.ndim == 3 else y.array.transpose(0, 2, 1, 3)
    pairs = np.arange(half)
    first, second = (2 * pairs, 2 * pairs + 1) if attrs.get("interleaved", 0) else (pairs, pairs + half)
    stream = streams(attrs, half)
    settled = x.kind != "f32" and not (mixed and x.kind == "f16")
    for b in range(batch):
        for s in range(sequence):
            if positions is None:
                row = np.full(half, b * sequence + s)
                count = batch * sequence
            else:
                of_token = positions.reshape(-1, batch, sequence)[:, b, s]
                count = cos.shape[0]
                row = np.array([int(of_token[k]) if 0 <= int(of_token[k]) < count else -1 for k in stream], int)
            known = pairs[row >= 0]
            i, j = first[known], second[known]
            factors = []
            for cache in (cos, sin):
                elements = cache.array.reshape(-1, half)[row[known], known]
                if scale != 1:
                    with np.errstate(all="ignore"):
                        elements = narrow(cache.kind, widen(cache.kind, elements, np.float32) * scale)
                factors.append(widen(cache.kind, elements, wide))
            c, n = factors
            x0, x1 = widen(x.kind, rows[b, s][:, i], wide), widen(x.kind, rows[b, s][:, j], wide)
            with np.errstate(all="ignore"):
                products = (i, x0 * c, -x1 * n), (j, x0 * n, x1 * c)
            for place, p, q in products:
                with np.errstate(all="ignore"):
                    total = p + q
                    result = narrow(x.kind, total)
                    if x.kind == "bf16":
                        normal = [(v == 0) | ((abs(v) >= 2.0**-126) & (abs(v) < 2.0**127)) for v in (p, q, total)]
                        settled &= bool(np.all(normal)) and bool(np.all(total != 0))
                        if mixed:
                            slack = np.maximum(abs(p), abs(q)) * 2.0**-22
                            settled &= bool(np.all(narrow("bf16", total - slack) == narrow("bf16", total + slack)))
                rows[b, s][:, place] = result
    return y, settled


class Cases:
    def __init__(self, package):
        self.package = package
        self.multimodal = package.multimodal
        self.out = "x" if package.in_place else "y"
        self.list = []

    def variant(self, shape, positions, attrs):
        _, _, _, head = layout_of(shape, attrs)
        name = f"rank{len(shape)}"
        if not self.multimodal:
            name += "_cache2_pos" if positions is not None else "_cache3"
        return name + ("_quad" if head % 4 == 0 and half_of(attrs, head) % 4 == 0 else "")

    def add(self, name, inputs, attrs, **keys):
        self.list.append({"name": name, "inputs": inputs, "attrs": attrs, **keys})

    def attributes(self, x, cos, attrs):
        result = dict(attrs)
        if x.kind == "bf16":
            result["x_shape"] = list(x.shape)
        if cos.kind == "bf16":
            result["cache_shape"] = list(cos.shape)
        return result

    def expect(self, name, x, cos, sin, positions=None, attrs=None, check=None, tolerance=None, judge="data"):
        """judge "reference" leaves the expected values to the program that runs the case."""
        attrs = dict(attrs or {})
        positions = None if positions is None else np.array(positions, np.int64)
        if self.multimodal:
            assert positions.ndim == 3
            if attrs.get("rotary_embedding_dim"):
                attrs.setdefault("num_heads", x.shape[1])
            half = cos.shape[-1]
            attrs.setdefault("mrope_section", [half - half // 3 * 2, half // 3, half // 3])
        inputs = {"x": x.literal(), "cos": cos.literal(), "sin": sin.literal()}
        if positions is not None:
            inputs["positionIds"] = data.literal(positions)
        y, settled = rotation(x, cos, sin, positions, attrs)
        expected = y.literal()
        output = {"dtype": expected["dtype"], "shape": expected["shape"]}
        if tolerance is None:
            scale = max(1, abs(attrs.get("scale", 1)) * 2)
            tolerance = FLOAT32_TOLERANCE * scale if x.kind == "f32" else FLOAT16_TOLERANCE if cos.kind != x.kind else 0
        output["tolerance"] = tolerance if x.kind != "bf16" else 0
        if judge == "data" and (settled or x.kind != "bf16"):
            output["data"] = expected["data"]
        elif x.kind != "bf16":
            output["allowNaN"] = True
        keys = {"outputs": {self.out: output}, "expectVariant": self.variant(x.shape, positions, attrs)}
        if check is not None:
            keys["check"] = check
        self.add(name, inputs, self.attributes(x, cos, attrs), **keys)

    def generated(self, name, kinds, x, half, rows, positions, attrs):
        """A large float16 or float32 case; its data are formulas and its values come from the reference."""
        attrs = dict(attrs)
        inputs = {
            "x": data.filled(DTYPE[kinds[0]], x, 0.37, 0.91),
            "cos": data.filled(DTYPE[kinds[1]], (rows, half), 0.53, 0.29, 0.5),
            "sin": data.filled(DTYPE[kinds[1]], (rows, half), 0.71, 0.43, 0.5),
            "positionIds": data.literal(np.array(positions, np.int64)),
        }
        if self.multimodal:
            attrs.setdefault("num_heads", x[1])
            attrs["mrope_section"] = [half - half // 3 * 2, half // 3, half // 3]
        tolerance = FLOAT32_TOLERANCE if kinds[0] == "f32" else 0
        output = {"dtype": DTYPE[kinds[0]], "shape": list(x), "tolerance": tolerance}
        self.add(name, inputs, attrs, outputs={self.out: output}, expectVariant=self.variant(x, positions, attrs))

    def refuse(self, name, text, tensors, attrs):
        """`tensors`: key -> (dtype, shape); all zeros."""
        inputs = {key: {"dtype": dtype, "shape": list(shape), "data": {"kind": "values", "values": [0] * math.prod(shape)}}
                  for key, (dtype, shape) in tensors.items()}
        if self.multimodal:
            attrs = {"mrope_section": [2, 0, 0], **attrs}
        self.add(name, inputs, attrs, expectError=f"wgk.{self.package.name}: {text}")


def positions_for(cases, batch, sequence, rows, seed):
    stream = data.Stream(seed)
    shape = (3, batch, sequence) if cases.multimodal else (batch, sequence)
    return np.array([stream.next() % rows for _ in range(math.prod(shape))], np.int64).reshape(shape)


def sweep(cases):
    """Head sizes and rotary sizes of every alignment, with all types, ranks and pairings."""
    sizes = [(2, 0), (4, 0), (6, 0), (6, 4), (8, 0), (8, 4), (10, 0), (12, 4), (14, 10), (16, 8), (20, 8)]
    if cases.multimodal:
        sizes += [(3, 2), (5, 2), (5, 4), (7, 2), (7, 6), (9, 8)]
    extents = [(1, 3, 2), (2, 2, 1), (1, 1, 3), (2, 1, 2), (1, 2, 1), (1, 5, 1)]
    count = 0
    for head, rotary in sizes:
        for kinds in KINDS:
            for rank in (3, 4):
                for interleaved in (0, 1):
                    batch, sequence, heads = extents[count % len(extents)]
                    attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                    if rank == 3:
                        attrs["num_heads"] = heads
                    if cases.multimodal:
                        attrs["mrope_layout"] = count // 3 % 2
                    shape = (batch, sequence, heads * head) if rank == 3 else (batch, heads, sequence, head)
                    half = (rotary or head) // 2
                    gathered = cases.multimodal or count // 5 % 2 == 0
                    positions = positions_for(cases, batch, sequence, 5, count) if gathered else None
                    cos, sin = caches(kinds[1], (5, half) if gathered else (batch, sequence, half))
                    name = f"x_{kinds[0]}_cache_{kinds[1]}_rank{rank}_h{head}_d{rotary}_interleaved{interleaved}"
                    cases.expect(name, numbers(kinds[0], shape, count), cos, sin, positions, attrs)
                    count += 1


def sections(cases):
    """Which position each pair follows, where sections are and are not whole vectors."""
    if not cases.multimodal:
        return
    for kinds in (("f32", "f32"), ("f16", "f32"), ("bf16", "bf16")):
        for section in ([8, 0, 0], [4, 4, 0], [0, 4, 4], [0, 8, 0], [3, 3, 2], [1, 3, 0], [0, 0, 4], [0, 3, 0], [1, 1, 1]):
            half = sum(section)
            for layout in (0, 1):
                for interleaved in (0, 1):
                    cos, sin = caches(kinds[1], (3, half))
                    attrs = {"mrope_section": section, "mrope_layout": layout, "interleaved": interleaved}
                    name = f"sections_{'_'.join(map(str, section))}_layout{layout}_interleaved{interleaved}_{kinds[0]}"
                    cases.expect(name, numbers(kinds[0], (1, 1, 2, 2 * half), half), cos, sin,
                                 [[[0, 1]], [[1, 2]], [[2, 0]]], attrs)


def shared_words(cases):
    """Many workgroups whose 16-bit elements share words with those of other pairs, heads and tokens."""
    for interleaved in (0, 1):
        for head, rotary in ((10, 0), (6, 0), (14, 10)) + (((7, 6), (9, 2)) if cases.multimodal else ()):
            attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
            half = (rotary or head) // 2
            positions = positions_for(cases, 3, 41, 17, head)
            cos, sin = caches("bf16", (17, half))
            x = numbers("bf16", (3, 5, 41, head), head)
            cases.expect(f"many_words_bf16_h{head}_d{rotary}_interleaved{interleaved}", x, cos, sin, positions, attrs,
                         judge="reference")
            for kinds in (("f16", "f16"), ("f32", "f32")):
                positions = positions_for(cases, 2, 500, 64, head)
                cases.generated(f"many_words_{kinds[0]}_h{head}_d{rotary}_interleaved{interleaved}", kinds,
                                (2, 7, 500, head), half, 64, positions, attrs)
    for kinds in (("f16", "f16"), ("f32", "f32")):
        positions = positions_for(cases, 2, 300, 64, 1)
        cases.generated(f"many_words_{kinds[0]}_h64_d32", kinds, (2, 8, 300, 64), 16, 64, positions,
                        {"rotary_embedding_dim": 32})


ODD_BITS = {
    "f32": [0x7F923456, 0x80000000, 0x00000007, 0xFF800000, 0x7FC00001, 0xFFBADBAD, 0x007FFFFF, 0x80000001],
    "f16": [0x7D01, 0x8000, 0x0007, 0xFC00, 0x7E01, 0xFDAD, 0x03FF, 0x8001],
    "bf16": [0x7F92, 0x8000, 0x0007, 0xFF80, 0x7FC1, 0xFFBA, 0x007F, 0x8001],
}
ONE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}


def kept_bits(cases):
    """Tails and pairs without a cache row keep their bits."""
    sizes = [(6, 2), (8, 2), (10, 4), (16, 8), (20, 8), (24, 8)] + ([(7, 2), (9, 8)] if cases.multimodal else [])
    for kinds in KINDS:
        words = ODD_BITS[kinds[0]]
        for head, rotary in sizes:
            for interleaved in (0, 1):
                x = from_bits(kinds[0], (1, 1, 3, head), ([ONE[kinds[0]]] * rotary + (words * 3)[: head - rotary]) * 3)
                cos, sin = caches(kinds[1], (3, rotary // 2))
                attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                name = f"tail_bits_{kinds[0]}_{kinds[1]}_h{head}_d{rotary}_interleaved{interleaved}"
                cases.expect(name, x, cos, sin, positions_for(cases, 1, 3, 3, head), attrs)
        for head in (6, 8, 10):
            for interleaved in (0, 1):
                x = from_bits(kinds[0], (1, 2, 2 * head), (words * 8)[: 4 * head])
                cos, sin = caches(kinds[1], (2, head // 2))
                bad = [[[2, 2**32]]] * 3 if cases.multimodal else [[2, 2**32]]
                name = f"no_row_keeps_bits_{kinds[0]}_{kinds[1]}_h{head}_interleaved{interleaved}"
                cases.expect(name, x, cos, sin, bad, {"num_heads": 2, "interleaved": interleaved}, check="none")
        if cases.multimodal:
            for head in (6, 16, 24):
                for stream in range(3):
                    for interleaved in (0, 1):
                        positions = np.ones((3, 1, 2), np.int64)
                        positions[stream] = [[-1, 2**33]]
                        cos, sin = caches(kinds[1], (2, head // 2))
                        name = f"bad_stream{stream}_{kinds[0]}_{kinds[1]}_h{head}_interleaved{interleaved}"
                        cases.expect(name, numbers(kinds[0], (1, 1, 2, head), stream), cos, sin, positions,
                                     {"interleaved": interleaved}, check="none")
    tensors = {"x": ("uint32", (4,)), "cos": ("float32", (8, 2)), "sin": ("float32", (8, 2))}
    attrs = {"num_heads": 2, "x_shape": [1, 1, 8]}
    shape = (3, 1, 1) if cases.multimodal else (1, 1)
    cases.refuse("position_outside_the_cache", "positionIds: value 8 at index 0", {**tensors, "positionIds": ("int64", shape)},
                 attrs)
    cases.list[-1]["inputs"]["positionIds"]["data"]["values"][0] = 8


def rounding(cases):
    """One pair (x0, x1) with (c, s): rounding of bfloat16, special values."""
    def pair(name, kinds, x0, x1, c, s, judge="data", scale=None):
        x = from_bits(kinds[0], (1, 1, 1, 2), [x0, x1])
        cos, sin = (from_bits(kinds[1], (1, 1), [bits]) for bits in (c, s))
        attrs = {"scale": scale} if scale is not None else {}
        positions = np.zeros((3, 1, 1) if cases.multimodal else (1, 1), np.int64)
        cases.expect(name, x, cos, sin, positions, attrs, judge=judge)

    word = lambda value: int(np.float32(value).view(np.uint32))
    mixed = ("bf16", "f32")
    # y0 = 1 * c and y1 = 1 * s, so the cache holds what is rounded.
    for name, c, s in (("ties", 1 + 2.0**-8, 1 + 3 * 2.0**-8), ("tenths", -0.1, 0.1),
                       ("around_a_tie", 1 + 2.0**-8 + 2.0**-23, 1 + 2.0**-8 - 2.0**-23)):
        pair(f"rounds_{name}", mixed, 0x3F80, 0x0000, word(c), word(s))
        expected = {"ties": [0x3F80, 0x3F82], "tenths": [0xBDCD, 0x3DCD], "around_a_tie": [0x3F81, 0x3F80]}[name]
        cases.list[-1]["outputs"][cases.out]["data"] = {"kind": "values", "values": [expected[0] | expected[1] << 16]}
    pair("rounds_to_infinity", mixed, 0x3F80, 0x0000, 0x7F7FFFFF, 0xFF7FFFFF)
    cases.list[-1]["outputs"][cases.out]["data"] = {"kind": "values", "values": [0x7F80 | 0xFF80 << 16]}
    # Unless NaN is told apart, the carry of such a payload makes a number of it.
    pair("nan_of_ones", mixed, 0x3F80, 0x3F80, 0x7FFFFFFF, 0xFFFFFFFF, judge="reference")
    pair("largest_stays_finite", mixed, 0x3F80, 0x0000, 0x7F7F7FFF, 0x7F7F0000)
    cases.list[-1]["outputs"][cases.out]["data"] = {"kind": "values", "values": [0x7F7F | 0x7F7F << 16]}
    for kinds in KINDS[1:]:
        if kinds == ("f16", "f16"):
            continue
        infinity, nan = (0x7C00, 0x7E00) if kinds[0] == "f16" else (0x7F80, 0x7FC0)
        one, half = ONE[kinds[1]], {"f32": 0x3F000000, "bf16": 0x3F00}[kinds[1]]
        for name, x0, x1, c, s in (
            ("inf_1_half_half", infinity, ONE[kinds[0]], half, half), ("inf_inf_half_half", infinity, infinity, half, half),
            ("inf_1_0_1", infinity, ONE[kinds[0]], 0, one), ("nan_1_1_0", nan, ONE[kinds[0]], one, 0),
            ("negative_zero", 0x8000, ONE[kinds[0]], one, 0), ("subnormals", 1, 0x8003, one, one),
        ):
            pair(f"pair_{name}_{kinds[0]}_{kinds[1]}", kinds, x0, x1, c, s, judge="reference")
    # The products overflow float16, their float32 sum does not.
    pair("products_overflow_f16_f32", ("f16", "f32"), 0x7A00, 0x7900, word(1.5), word(0.5), judge="reference")
    pair("sum_overflows_f16_f32", ("f16", "f32"), 0x7BFF, 0x7BFF, word(0.75), word(0.75), judge="reference")
    pair("subnormal_ties_f16_f32", ("f16", "f32"), 0x0003, 0x0005, word(0.5), word(0), judge="reference")
    pair("cancellation_f16_f32", ("f16", "f32"), 0x3C01, 0x3C01, word(0.7071068), word(0.7071067), judge="reference")
    pair("cancellation_bf16_f32", mixed, 0x3F81, 0x3F81, word(0.7071068), word(0.7071067), judge="reference")
    pair("products_overflow_bf16", ("bf16", "bf16"), 0x7F00, 0x7F00, 0x4080, 0x4000, judge="reference")
    pair("products_underflow_bf16", ("bf16", "bf16"), 0x0100, 0x0180, 0x3E80, 0x3E00, judge="reference")
    if cases.multimodal:
        # The scaled factors are rounded to the type of the cache: 0.6 and 0.8 times 0.1 in float16.
        pair("scale_rounds_factors_f16", ("f16", "f16"), 0x3C00, 0x4000, 0x38CD, 0x3A66, scale=0.1)
        pair("scale_overflows_factors_f16", ("f16", "f16"), 0x1400, 0x0000, 0x3C00, 0xBC00, judge="reference", scale=1e5)
        for kinds in KINDS:
            for scale in (0.1, 2, -1, 0, 1e-6):
                for head in (8, 6):
                    cos, sin = caches(kinds[1], (2, head // 2))
                    name = f"scale_{str(scale).replace('-', 'minus').replace('.', 'p')}_{kinds[0]}_{kinds[1]}_h{head}"
                    cases.expect(name, numbers(kinds[0], (1, 2, 1, head), head), cos, sin, [[[1]], [[0]], [[1]]],
                                 {"scale": scale}, judge="data" if scale else "reference")


def packed(cases):
    """Positions restart inside a row of the batch, and the sequence is longer than the cache."""
    for kinds in KINDS:
        for flag in (0, 1) if cases.multimodal else (None,):
            cos, sin = caches(kinds[1], (3, 2))
            attrs = {"num_heads": 1} | ({} if flag is None else {"is_packed_batching": flag, "mrope_section": [1, 1, 0]})
            row = [[0, 1, 2, 0, 1]]
            name = f"packed_positions{'' if flag is None else flag}_{kinds[0]}_{kinds[1]}"
            cases.expect(name, numbers(kinds[0], (1, 5, 4), 7), cos, sin, [row] * 3 if cases.multimodal else row, attrs)


def empty(cases):
    for kinds in KINDS:
        for name, shape in (("batch", (0, 2, 3, 8)), ("heads", (1, 0, 3, 8)), ("sequence", (1, 2, 0, 8))):
            positions = np.zeros(((3,) if cases.multimodal else ()) + (shape[0], shape[2]), np.int64)
            cos, sin = caches(kinds[1], (2, 4))
            cases.expect(f"empty_{name}_{kinds[0]}_{kinds[1]}", numbers(kinds[0], shape, 0), cos, sin, positions)


def odd_counts(cases):
    if not cases.multimodal:
        return
    for kinds in KINDS:
        for interleaved in (0, 1):
            for shape, rotary in (((1, 1, 1, 7), 6), ((1, 3, 1, 5), 4), ((1, 1, 3, 3), 2)):
                cos, sin = caches(kinds[1], (3, rotary // 2))
                positions = positions_for(cases, 1, shape[2], 3, rotary)
                attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                name = f"odd_count_{math.prod(shape)}_{kinds[0]}_{kinds[1]}_interleaved{interleaved}"
                cases.expect(name, numbers(kinds[0], shape, 3), cos, sin, positions, attrs)


def refusals(cases):
    shape = (3, 1, 1) if cases.multimodal else (1, 1)

    def refuse(name, text, x=("float16", (1, 1, 8)), cos=("float32", (8, 2)), sin=None, attrs=None):
        tensors = {"x": x, "cos": cos, "sin": cos if sin is None else sin, "positionIds": ("int64", shape)}
        cases.refuse(name, text, tensors, {"num_heads": 2, **(attrs or {})})

    refuse("sin_is_not_as_cos", "sin: dtype float16 must be float32 as cos", sin=("float16", (8, 2)))
    refuse("cos_is_not_as_sin", "sin: dtype float32 must be float16 as cos", cos=("float16", (8, 2)), sin=("float32", (8, 2)))
    refuse("narrow_cache_of_float32", "cos: dtype float16 must be float32 as x", x=("float32", (1, 1, 8)), cos=("float16", (8, 2)))
    refuse("bfloat16_cache_of_float16", "cos: dtype uint32 must be float16 as x, or float32", cos=("uint32", (8,)),
           attrs={"cache_shape": [8, 2]})
    refuse("float16_cache_of_bfloat16", "cos: dtype float16 must be uint32 as x, or float32", x=("uint32", (4,)),
           cos=("float16", (8, 2)), attrs={"x_shape": [1, 1, 8]})
    refuse("x_int32", "x: dtype int32 must be float32, float16 or uint32 (words of bfloat16)", x=("int32", (1, 1, 8)))
    refuse("x_shape_missing", "x_shape: missing, must be the shape of the bfloat16 x", x=("uint32", (4,)))
    refuse("x_shape_of_float16", "x_shape: must not be given, float16 x has its own shape", attrs={"x_shape": [1, 1, 8]})
    refuse("x_shape_is_no_list", "x_shape: 8 must be a list of integers", x=("uint32", (4,)), attrs={"x_shape": 8})
    refuse("x_shape_negative", "x_shape: dimension 2 is -8, must be an integer >= 0", x=("uint32", (4,)),
           attrs={"x_shape": [1, 1, -8]})
    refuse("x_has_other_words", "x: shape [5] must be [4], the words of 8 bfloat16 elements", x=("uint32", (5,)),
           attrs={"x_shape": [1, 1, 8]})
    refuse("x_is_not_flat", "x: shape [1,4] must be [4], the words of 8 bfloat16 elements", x=("uint32", (1, 4)),
           attrs={"x_shape": [1, 1, 8]})
    refuse("x_shape_rank", "x: rank 2 must be 3 or 4", x=("uint32", (4,)), attrs={"x_shape": [1, 8]})
    refuse("cache_shape_missing", "cache_shape: missing, must be the shape of the bfloat16 cos", x=("uint32", (4,)),
           cos=("uint32", (8,)), attrs={"x_shape": [1, 1, 8]})
    refuse("cache_shape_of_float32", "cache_shape: must not be given, float32 cos has its own shape",
           attrs={"cache_shape": [8, 2]})
    refuse("cache_has_other_words", "cos: shape [9] must be [8], the words of 16 bfloat16 elements", x=("uint32", (4,)),
           cos=("uint32", (9,)), attrs={"x_shape": [1, 1, 8], "cache_shape": [8, 2]})
    refuse("cache_width", "cos: width 4 must be rotary_dim / 2 = 2", x=("uint32", (4,)), cos=("uint32", (16,)),
           attrs={"x_shape": [1, 1, 8], "cache_shape": [8, 4]})
    if cases.multimodal:
        refuse("packed_2", "is_packed_batching: 2 must be 0 or 1", attrs={"is_packed_batching": 2})
    else:
        refuse("packed_is_no_attribute", f"is_packed_batching: is not an attribute of {cases.package.name}",
               attrs={"is_packed_batching": 1})


def test_file(package):
    cases = Cases(package)
    for group in (sweep, sections, shared_words, kept_bits, rounding, packed, empty, odd_counts, refusals):
        group(cases)
    return data.cases_text(cases.list)


def bench_file(package):
    lines = []
    for kinds in KINDS:
        for head, rotary in ((128, 0), (80, 20)):
            shape, half = (1, 32, 2048, head), (rotary or head) // 2
            attrs = {"rotary_embedding_dim": rotary}
            if package.multimodal:
                attrs |= {"num_heads": 32, "mrope_section": [half - 2 * (half // 3), half // 3, half // 3]}
            tensors = {"x": (kinds[0], shape), "cos": (kinds[1], (4096, half)), "sin": (kinds[1], (4096, half))}
            inputs = {}
            for key, (kind, logical) in tensors.items():
                stored = [math.prod(logical) // 2] if kind == "bf16" else list(logical)
                inputs[key] = {"dtype": DTYPE[kind], "shape": stored}
                if kind == "bf16" and key != "sin":
                    attrs["x_shape" if key == "x" else "cache_shape"] = list(logical)
            inputs["positionIds"] = {"dtype": "int64", "shape": [3, 1, 2048] if package.multimodal else [1, 2048]}
            name = f"prefill_b1_n32_s2048_h{head}_d{rotary}_{kinds[0]}_{kinds[1]}"
            lines.append(json.dumps({"name": name, "inputs": inputs, "attrs": attrs}))
    return '{\n  "cases": [\n    ' + ",\n    ".join(lines) + "\n  ]\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    arguments = parser.parse_args()
    stale = 0
    for package in PACKAGES:
        folder = KERNELS / f"wgk.{package.name}" / "build" / "webgpu"
        for name, text in (("test.json", test_file(package)), ("bench.json", bench_file(package))):
            target = folder / name
            if not arguments.check:
                target.write_text(text, encoding="utf-8", newline="\n")
            elif not target.exists() or target.read_text(encoding="utf-8") != text:
                print(f"{target} is out of date", file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
