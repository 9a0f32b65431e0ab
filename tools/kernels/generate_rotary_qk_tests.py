#!/usr/bin/env python3
"""Writes test.json and bench.json of the package wgk.RotaryEmbeddingQK.

usage: generate_rotary_qk_tests.py [--check] [PACKAGE_DIR]

The operator is ai.onnx.RotaryEmbedding for q and for k; expected values come from the definition of that operator in
generate_rotary_embedding_tests.py. case_data.py describes the files.
"""
import math
import sys

import numpy as np

from case_data import NUMPY_TYPE, SHORT, Stream, cases_text, filled, from_bits, literal, numbers, write_package
from generate_rotary_embedding_tests import FLOAT32_TOLERANCE, caches, positions_array, reference, rotary_dims

OPERATOR = "wgk.RotaryEmbeddingQK"
DTYPES = ("float32", "float16")
KEYS = ("q", "k")
HEAD_ATTRIBUTE = {"q": "q_num_heads", "k": "kv_num_heads"}


def own_attrs(key, attrs):
    """The attributes of RotaryEmbedding for q or k."""
    own = {name: attrs[name] for name in ("interleaved", "rotary_embedding_dim") if name in attrs}
    if HEAD_ATTRIBUTE[key] in attrs:
        own["num_heads"] = attrs[HEAD_ATTRIBUTE[key]]
    return own


def head_size(shape, attrs):
    return shape[3] if len(shape) == 4 else shape[2] // attrs["q_num_heads"]


def variant_of(q, k, has_positions, attrs):
    """The variant that the selection table of the card names."""
    head = head_size(q, attrs)
    half = (attrs.get("rotary_embedding_dim", 0) or head) // 2
    quads = head % 4 == 0 and half % 4 == 0 and math.prod(q) > 0 and math.prod(k) > 0
    return ("positions" if has_positions else "rows") + ("_quad" if quads else "")


class Cases:
    def __init__(self):
        self.list = []

    def add(self, name, inputs, attrs, **keys):
        case = {"name": name, "inputs": {key: value for key, value in inputs.items() if value is not None}}
        if attrs:
            case["attrs"] = attrs
        case.update(keys)
        self.list.append(case)

    def expect(self, name, q, k, cos, sin, positions=None, attrs=None, check=None):
        """A case with literal data and the expected outputs."""
        attrs = attrs or {}
        inputs = {"q": q, "k": k, "cos": cos, "sin": sin, "positionIds": positions}
        outputs = {}
        for key, x in (("q", q), ("k", k)):
            y = literal(reference(x, cos, sin, positions, own_attrs(key, attrs)))
            tolerance = FLOAT32_TOLERANCE if x.dtype == np.float32 else 0
            outputs[f"{key}Rotated"] = {
                "dtype": y["dtype"],
                "shape": y["shape"],
                "tolerance": tolerance,
                "data": y["data"],
            }
        keys = {"expectVariant": variant_of(q.shape, k.shape, positions is not None, attrs)}
        if check is not None:
            keys["check"] = check
        inputs = {key: None if value is None else literal(value) for key, value in inputs.items()}
        self.add(name, inputs, attrs, outputs=outputs, **keys)

    def generated(self, name, dtype, q, k, cache, positions=None, attrs=None):
        """A case whose data are formulas; the runner's reference gives the expected values."""
        attrs = attrs or {}
        inputs = {
            "q": filled(dtype, q, 0.37, 0.91),
            "k": filled(dtype, k, 0.83, 0.19),
            "cos": filled(dtype, cache, 0.53, 0.29, 0.5),
            "sin": filled(dtype, cache, 0.71, 0.43, 0.5),
            "positionIds": None if positions is None else literal(positions_array(positions)),
        }
        tolerance = 2e-6 if dtype == "float32" else 0
        outputs = {
            f"{key}Rotated": {"dtype": dtype, "shape": list(shape), "tolerance": tolerance}
            for key, shape in (("q", q), ("k", k))
        }
        variant = variant_of(q, k, positions is not None, attrs)
        self.add(name, inputs, attrs, outputs=outputs, expectVariant=variant)

    def refuse(self, name, text, q, k, cos, positions=((0,),), attrs=None, dtypes=None):
        """A request that must be refused with a message that contains `text`. Shapes, and positions as a list."""
        dtypes = dtypes or {}
        inputs = {}
        for key, shape in (("q", q), ("k", k), ("cos", cos), ("sin", cos)):
            if shape is not None:
                inputs[key] = literal(np.zeros(shape, NUMPY_TYPE[dtypes.get(key, "float32")]))
        if positions is not None:
            inputs["positionIds"] = literal(positions_array(positions))
        self.add(name, inputs, attrs or {}, expectError=text)


def layout_cases(cases):
    """Which element is which: both layouts, more and fewer heads in k, pairing, rows and columns."""
    for dtype in DTYPES:
        short = SHORT[dtype]
        for heads, key_heads in ((4, 1), (3, 2), (1, 3), (2, 2)):
            for head in (2, 8, 6):
                cos, sin = caches(dtype, (16, head // 2), row=lambda r: r + 1)
                positions = positions_array([[0, 5, 2], [15, 1, 1]])
                name = f"q{heads}_k{key_heads}_h{head}_{short}"
                attrs = {"q_num_heads": heads, "kv_num_heads": key_heads}
                q, k = numbers(dtype, (2, 3, heads * head), 1), numbers(dtype, (2, 3, key_heads * head), 2)
                cases.expect(f"rank3_{name}", q, k, cos, sin, positions, attrs)
                q, k = numbers(dtype, (2, heads, 3, head), 1), numbers(dtype, (2, key_heads, 3, head), 2)
                cases.expect(f"rank4_{name}", q, k, cos, sin, positions)
                cases.expect(f"rank4_interleaved_{name}", q, k, cos, sin, positions, {"interleaved": 1})
                cos, sin = caches(dtype, (2, 3, head // 2), row=lambda r: 3 * r + 1)
                cases.expect(f"rows_{name}", q, k, cos, sin)
        cos, sin = caches(dtype, (4, 4))
        q, k = numbers(dtype, (3, 4, 1, 8), 3), numbers(dtype, (3, 2, 1, 8), 4)
        cases.expect(f"decode_every_batch_rotates_{short}", q, k, cos, sin, positions_array([[2], [1], [0]]))
        attrs = {"q_num_heads": 9, "kv_num_heads": 7}
        cases.expect(f"rank4_ignores_heads_{short}", q, k, cos, sin, positions_array([[2], [1], [0]]), attrs)


def copied_bits_cases(cases):
    """What is not rotated keeps its bits, NaN payloads and signs of zero included."""
    words = {
        "float32": [0x7F923456, 0x80000000, 0x00000007, 0xFF800000, 0x7FC00001, 0xFFFFFFFF, 0x7F800001, 0x00800000],
        "float16": [0x7D23, 0x8000, 0x0007, 0xFC00, 0x7E01, 0xFFFF, 0x7C01, 0x0400],
    }
    for dtype in DTYPES:
        for head, rotary in ((8, 2), (12, 4), (16, 8), (6, 2), (10, 4)):
            for interleaved in (0, 1):
                data = words[dtype] * (2 * head)
                q = from_bits(dtype, (1, 3, 2, head), data[: 6 * head])
                k = from_bits(dtype, (1, 1, 2, head), data[1 : 1 + 2 * head])
                rotates = np.arange(head) < rotary
                q, k = (np.where(rotates, numbers(dtype, x.shape, 5), x) for x in (q, k))
                cos, sin = caches(dtype, (4, rotary // 2), row=lambda r: r + 1)
                attrs = {"rotary_embedding_dim": rotary, "interleaved": interleaved}
                name = f"tail_bits_h{head}_d{rotary}_interleaved{interleaved}_{SHORT[dtype]}"
                cases.expect(name, q, k, cos, sin, positions_array([[3, 1]]), attrs)
        for head in (6, 8):
            data = words[dtype] * (2 * head)
            q = from_bits(dtype, (1, 2, 2, head), data[: 4 * head])
            k = from_bits(dtype, (1, 1, 2, head), data[3 : 3 + 2 * head])
            q[:, :, 0], k[:, :, 0] = numbers(dtype, (2, head), 6), numbers(dtype, (1, head), 7)
            cos, sin = caches(dtype, (4, head // 2), row=lambda r: r + 1)
            for row in (4, -1, 2**32 + 1):
                name = f"no_row_{row}_keeps_bits_h{head}_{SHORT[dtype]}".replace("-", "minus")
                cases.expect(name, q, k, cos, sin, positions_array([[2, row]]), check="none")


def refusal_cases(cases):
    q, k, cos, rank3 = (1, 4, 1, 8), (1, 2, 1, 8), (8, 4), ((1, 1, 32), (1, 1, 16))
    cases.refuse("k_missing", "k: required input is missing", q, None, cos)
    cases.refuse("q_int32", "q: dtype int32 must be float32 or float16", q, k, cos, dtypes={"q": "int32"})
    cases.refuse("k_of_another_type", "k: dtype float16 must be float32 as q", q, k, cos, dtypes={"k": "float16"})
    text = "cos: dtype float16 must be float32 as q"
    cases.refuse("cos_of_another_type", text, q, k, cos, dtypes={"cos": "float16"})
    cases.refuse("k_rank", "k: rank 3 must be that of q = 4", q, (1, 1, 16), cos, attrs={"kv_num_heads": 2})
    cases.refuse("k_batch", "positionIds: shape [1,1] must be [2,1]", q, (2, 2, 1, 8), cos)
    cases.refuse("k_batch_rows", "cos: dimension 0 is 1, must be batch = 2", q, (2, 2, 1, 8), (1, 1, 4), None)
    cases.refuse("k_head_size", "cos: width 4 must be rotary_dim / 2 = 8", q, (1, 2, 1, 16), cos)
    attrs = {"rotary_embedding_dim": 8}
    cases.refuse("k_head_size_partial", "k: head size 16 must be that of q = 8", q, (1, 2, 1, 16), cos, attrs=attrs)
    cases.refuse("q_num_heads_missing", "q_num_heads: missing, must be >= 1 for rank-3 q", *rank3, cos)
    text = "kv_num_heads: missing, must be >= 1 for rank-3 k"
    cases.refuse("kv_num_heads_missing", text, *rank3, cos, attrs={"q_num_heads": 4})
    attrs = {"q_num_heads": 4, "kv_num_heads": 3}
    cases.refuse("hidden_size", "k: hidden size 16 must be a multiple of kv_num_heads = 3", *rank3, cos, attrs=attrs)
    cases.refuse("head_size_odd", "q: head size 5 must be even", (1, 1, 1, 5), (1, 1, 1, 5), (8, 2))
    text = "positionIds: value 8 at index 0 must be in [0, 8), the cos rows"
    cases.refuse("position_past_the_cache", text, q, k, cos, [[8]])
    text = "num_heads: is not an attribute of RotaryEmbeddingQK"
    cases.refuse("num_heads_is_no_attribute", text, q, k, cos, attrs={"num_heads": 4})


def empty_cases(cases):
    for dtype in DTYPES:
        kind = NUMPY_TYPE[dtype]
        for name, q, k, cache in (
            ("batch", (0, 2, 3, 8), (0, 1, 3, 8), (0, 3, 4)),
            ("query_heads", (2, 0, 3, 8), (2, 1, 3, 8), (2, 3, 4)),
            ("key_heads", (2, 2, 3, 8), (2, 0, 3, 8), (2, 3, 4)),
            ("sequence", (2, 4, 0, 8), (2, 2, 0, 8), (2, 0, 4)),
        ):
            cos, sin = numbers(dtype, cache, 8), numbers(dtype, cache, 9)
            q, k = numbers(dtype, q, 10).astype(kind), numbers(dtype, k, 11).astype(kind)
            cases.expect(f"empty_{name}_{SHORT[dtype]}", q, k, cos, sin)


def sweep_cases(cases):
    """Every head size with its rotary sizes, types, ranks and pairings; the rest cycles at coprime periods."""
    sequences, head_counts, batches = (1, 3, 7, 2, 16), ((4, 1), (3, 3), (8, 2), (2, 5)), (1, 2, 3)
    count = 0
    for head in (2, 4, 6, 10, 64, 72, 96, 128, 256):
        for rotary in rotary_dims(head):
            for dtype in DTYPES:
                for rank in (3, 4):
                    interleaved = count % 2
                    sequence, (heads, key_heads) = sequences[count % 5], head_counts[(count // 3) % 4]
                    batch, gathered = batches[count % 3], (count // 7) % 2 == 0
                    half = (rotary or head) // 2
                    attrs = {"interleaved": interleaved, "rotary_embedding_dim": rotary}
                    shapes = [(batch, n, sequence, head) for n in (heads, key_heads)]
                    if rank == 3:
                        attrs.update(q_num_heads=heads, kv_num_heads=key_heads)
                        shapes = [(batch, sequence, n * head) for n in (heads, key_heads)]
                    stream = Stream(count)
                    rows = [[stream.next() % 32 for _ in range(sequence)] for _ in range(batch)]
                    name = (
                        f"sweep_{SHORT[dtype]}_rank{rank}_{'positions' if gathered else 'rows'}_b{batch}s{sequence}"
                        f"n{heads}k{key_heads}_h{head}_d{rotary}_interleaved{interleaved}"
                    )
                    cache = (32, half) if gathered else (batch, sequence, half)
                    cases.generated(name, dtype, *shapes, cache, rows if gathered else None, attrs)
                    count += 1


def large_cases(cases):
    # More workgroups along one dimension of the grid than it can hold.
    cases.generated("batch_70000_f16", "float16", (70000, 2, 2, 8), (70000, 1, 2, 8), (70000, 2, 4))
    cases.generated("batch_70000_scalar_f32", "float32", (70000, 2, 2, 6), (70000, 1, 2, 6), (70000, 2, 3))
    rows = [list(range(300))]
    cases.generated("llama_layer_f16", "float16", (1, 32, 300, 128), (1, 8, 300, 128), (512, 64), rows)
    cases.generated("llama_layer_f32", "float32", (1, 32, 300, 128), (1, 8, 300, 128), (512, 64), rows)


def test_file():
    cases = Cases()
    layout_cases(cases)
    copied_bits_cases(cases)
    refusal_cases(cases)
    empty_cases(cases)
    sweep_cases(cases)
    large_cases(cases)
    return cases_text(cases.list)


def bench_file():
    table = [
        ("decode_b1_n32_k8_s1_h128", 1, 32, 8, 1, 128, {}),
        ("decode_b64_n32_k8_s1_h128", 64, 32, 8, 1, 128, {}),
        ("prefill_b1_n32_k8_s2048_h128", 1, 32, 8, 2048, 128, {}),
        ("prefill_b4_n32_k8_s8192_h128", 4, 32, 8, 8192, 128, {}),
        ("prefill_b4_n32_k8_s8192_h128_interleaved", 4, 32, 8, 8192, 128, {"interleaved": 1}),
        ("prefill_b1_n32_k8_s2048_h90_scalar", 1, 32, 8, 2048, 90, {}),
    ]
    cases = []
    for name, batch, heads, key_heads, sequence, head, attrs in table:
        for dtype in DTYPES:
            shapes = {
                "q": [batch, heads, sequence, head],
                "k": [batch, key_heads, sequence, head],
                "cos": [max(sequence, 4096), head // 2],
                "sin": [max(sequence, 4096), head // 2],
            }
            inputs = {key: {"dtype": dtype, "shape": shape} for key, shape in shapes.items()}
            inputs["positionIds"] = {"dtype": "int64", "shape": [batch, sequence]}
            cases.append({"name": f"{name}_{SHORT[dtype]}", "inputs": inputs, "attrs": attrs})
    return cases_text(cases)


if __name__ == "__main__":
    sys.exit(write_package(OPERATOR, __doc__.splitlines()[0], {"test.json": test_file(), "bench.json": bench_file()}))
