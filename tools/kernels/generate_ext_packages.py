#!/usr/bin/env python3
"""Writes the manifests of the wgk.* packages, and the copies of the templates that they share.

usage: generate_ext_packages.py [--check]

wgk.RotaryEmbeddingExt, wgk.MRotaryEmbeddingExt and their InPlace siblings are one family: the same dtypes, checks and
templates, with one stream of positions or three, and with an output of their own or none. A package is self-contained,
so each holds every template it uses; the ones in SOURCES are edited, the others are copies. With --check nothing is
written: the exit status is 1 if a file is not what this tool would write.
"""
import argparse
import json
import pathlib
import sys

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"
# Template -> the package where it is edited.
SOURCES = {
    "rotary-common.wgsl.jinja": "wgk.RotaryEmbeddingExt",
    "rotary-cache.wgsl.jinja": "wgk.RotaryEmbeddingExt",
    "rotary-word.wgsl.jinja": "wgk.RotaryEmbeddingExt",
    "rotary-quad.wgsl.jinja": "wgk.RotaryEmbeddingExt",
    "rotary-pair.wgsl.jinja": "wgk.RotaryEmbeddingInPlace",
}
WORDS = "uint32 stands for bfloat16: the elements two to a word, the first in the low half"


class Package:
    def __init__(self, multimodal, in_place):
        self.multimodal = multimodal
        self.in_place = in_place

    @property
    def name(self):
        return ("M" if self.multimodal else "") + "RotaryEmbedding" + ("InPlace" if self.in_place else "Ext")

    def templates(self):
        skipped = "rotary-word.wgsl.jinja" if self.in_place else "rotary-pair.wgsl.jinja"
        return [name for name in SOURCES if name != skipped]

    def description(self):
        parts = [
            ("Multimodal rotary position embedding (com.microsoft.MRotaryEmbedding)" if self.multimodal
             else "Rotary position embedding (ai.onnx.RotaryEmbedding)")
            + (" in place: `x` is read and written." if self.in_place else " with more types."),
            "float32, float16 and bfloat16; the caches have the type of `x` or are float32.",
        ]
        if self.multimodal:
            parts.append("`is_packed_batching` may be 1.")
        if self.in_place:
            parts.append("Elements that do not rotate are not touched.")
        return " ".join(parts)

    def inputs(self):
        onnx_x = "input" if self.multimodal else "X"
        by_position = "`(max_sequence, rotary_dim / 2)`"
        shape = by_position if self.multimodal else by_position + " with positions, `(batch, sequence, rotary_dim / 2)` without"
        positions = {
            "onnx": "position_ids",
            "dtype": "M",
            "rank": 3 if self.multimodal else 2,
            "storage": "uint32",
            "narrowing": "checked",
        }
        if self.multimodal:
            positions["description"] = ("Cache rows, `(3, batch, sequence)`: temporal, height, width. A pair whose row lies "
                                        "outside the cache is left unchanged, bit for bit.")
        else:
            positions["optional"] = True
            positions["description"] = ("Cache row of every token, `(batch, sequence)`. A token whose row lies outside the "
                                        "cache is left unchanged, bit for bit.")
        x = {
            "onnx": onnx_x,
            "dtype": "T",
            "description": "Embeddings: `(batch, sequence, num_heads * head_size)` or `(batch, num_heads, sequence, "
                           f"head_size)`. {WORDS}, as a rank-1 tensor whose logical shape is the attribute `x_shape`.",
        }
        cos = {
            "onnx": "cos_cache",
            "dtype": "U",
            "description": f"Cosines, {shape}. float32 or the type of `x`; uint32 words as for `x`, with the attribute "
                           "`cache_shape`.",
        }
        sin = {"onnx": "sin_cache", "dtype": "U", "description": "Sines, shaped and typed as the cosines."}
        if self.multimodal:
            return {"x": x, "positionIds": positions, "cos": cos, "sin": sin}
        return {"x": x, "cos": cos, "sin": sin, "positionIds": positions}

    def outputs(self):
        port = {"onnx": "output" if self.multimodal else "Y", "dtype": "T", "shape": "shapes.x"}
        if self.in_place:
            port["onnx"] = "input" if self.multimodal else "X"
            port["description"] = "The rotated embeddings, in the memory of the input."
            return {"x": port}
        port["description"] = "The rotated embeddings, shaped and typed as `x`."
        return {"y": port}

    def attributes(self):
        result = {
            "cache_shape": {"description": "Logical shape of `cos` and `sin`; given if, and only if, they are uint32 words."},
            "interleaved": {"default": 0, "description": "1 pairs neighbours (even, odd); 0 pairs the first half of the "
                                                         "rotated elements with the second."},
        }
        if self.multimodal:
            result |= {
                "is_packed_batching": {"default": 0, "description": "1 says that sequences are packed, which changes no "
                                                                    "result: positions restart inside `position_ids`."},
                "mrope_layout": {"default": 0, "description": "0: the sections follow one another along the half axis. 1: "
                                                              "they are striped temporal, height, width."},
                "mrope_section": {"description": "Three integers >= 0: how many pairs follow the temporal, the height and "
                                                 "the width position. Their sum is rotary_dim / 2."},
                "num_heads": {"default": 0, "description": "Number of heads. At least 1 for rank-3 `x` and whenever "
                                                           "`rotary_embedding_dim` is not 0."},
            }
        else:
            result["num_heads"] = {"description": "Number of heads; needed for rank-3 `x` only and ignored for rank 4."}
        result["rotary_embedding_dim"] = {"default": 0, "description": "Number of leading elements of a head to rotate, an "
                                                                       "even number; 0 rotates the whole head."}
        if self.multimodal:
            result["scale"] = {"default": 1, "description": "Factor of the cosines and sines, applied and rounded to their "
                                                            "type before the rotation."}
        result["x_shape"] = {"description": "Logical shape of `x`; given if, and only if, `x` is uint32 words."}
        return result

    def attribute_constraints(self):
        result = {"interleaved": {"values": [0, 1]}}
        if self.multimodal:
            result |= {
                "is_packed_batching": {"values": [0, 1]},
                "mrope_layout": {"values": [0, 1]},
                "mrope_section": {"required": True},
            }
        return result

    def derive(self):
        heads_given = "attrs.num_heads is integer and attrs.num_heads >= 1"
        result = {
            "xIsWords": 'dtypes.T == "u32"',
            "cacheIsWords": 'dtypes.U == "u32"',
            "xShape": "(attrs.x_shape if attrs.x_shape is iterable else []) if xIsWords else shapes.x",
            "xRank": "xShape | length",
            "cacheShape": "(attrs.cache_shape if attrs.cache_shape is iterable else []) if cacheIsWords else shapes.cos",
            "cacheRank": "cacheShape | length",
            "elementCount": "numel(xShape)",
            "rankOk": "xRank == 3 or xRank == 4",
            "headsGiven": heads_given,
            "numHeads": "(dim(xShape, 1) if xRank == 4 else (attrs.num_heads if headsGiven else 1)) if rankOk else 1",
            "headSize": "(dim(xShape, 3) if xRank == 4 else dim(xShape, 2) / numHeads) if rankOk else 0",
            "batchSize": "dim(xShape, 0) if rankOk else 0",
            "sequenceLength": "dim(xShape, xRank - 2) if rankOk else 0",
            "rotaryDim": "headSize if attrs.rotary_embedding_dim == 0 else attrs.rotary_embedding_dim",
            "rotaryDimOk": "headSize is integer and rotaryDim is integer and rotaryDim % 2 == 0 and 0 <= rotaryDim and rotaryDim <= headSize",
            "halfRotaryDim": "rotaryDim / 2 if rotaryDimOk else 0",
            "tokenCount": "batchSize * sequenceLength",
            "headCount": "tokenCount * numHeads",
            "cacheRows": "dim(cacheShape, 0) if cacheRank == 2 else tokenCount",
            "typesOk": 'dtypes.U == dtypes.T or dtypes.U == "f32"',
            "wordsOk": "(attrs.x_shape is defined) == xIsWords and (attrs.cache_shape is defined) == cacheIsWords and (not xIsWords or sameShape(shapes.x, [ceilDiv(elementCount, 2)])) and (not cacheIsWords or sameShape(shapes.cos, [ceilDiv(numel(cacheShape), 2)]))",
            "cachesOk": "sameShape(shapes.sin, shapes.cos) and cacheRank >= 2 and dim(cacheShape, -1) == halfRotaryDim",
            "rank3Ok": "xRank == 3 and headsGiven",
            "rank4Ok": "xRank == 4",
        }
        if self.multimodal:
            section = "attrs.mrope_section"
            result |= {
                "headsOk": "attrs.num_heads is integer and attrs.num_heads >= 0 and (attrs.rotary_embedding_dim == 0 or attrs.num_heads > 0)",
                "sectionsOk": f"{section} is iterable and ({section} | length) == 3 and {section}[0] is integer and {section}[1] is integer and {section}[2] is integer and min({section}[0], {section}[1], {section}[2]) >= 0 and max({section}[0], {section}[1], {section}[2]) <= halfRotaryDim and {section}[0] + {section}[1] + {section}[2] == halfRotaryDim",
                "scaleOk": "attrs.scale < 340282356779733661637539395458142568448 and attrs.scale > -340282356779733661637539395458142568448",
                "cache2Ok": "cacheRank == 2 and sameShape(shapes.positionIds, [3, batchSize, sequenceLength])",
                "sharedStream": f"attrs.mrope_layout == 0 and {section}[0] % 4 == 0 and {section}[1] % 4 == 0 if sectionsOk else false",
            }
        else:
            result |= {
                "headEven": "headSize % 2 == 0",
                "cache2Ok": "present.positionIds and cacheRank == 2 and sameShape(shapes.positionIds, [batchSize, sequenceLength]) if present.positionIds else false",
                "cache3Ok": "not present.positionIds and cacheRank == 3 and dim(cacheShape, 0) == batchSize and dim(cacheShape, 1) == sequenceLength",
                "sharedStream": "true",
            }
        result |= {
            "rowsOk": "cacheRows >= 1 or elementCount == 0",
            "sizesOk": "elementCount < 4294967296 and numel(cacheShape) < 4294967296",
            "workgroupOk": "tunables.WORKGROUP_SIZE is integer and tunables.WORKGROUP_SIZE >= 1 and tunables.WORKGROUP_SIZE <= device.limits.maxComputeInvocationsPerWorkgroup and tunables.WORKGROUP_SIZE <= device.limits.maxComputeWorkgroupSizeX",
            "dispatchOk": "ceilDiv(elementCount, tunables.WORKGROUP_SIZE) <= device.limits.maxComputeWorkgroupsPerDimension * device.limits.maxComputeWorkgroupsPerDimension",
            "vectorsOk": "headSize % 4 == 0 and halfRotaryDim % 4 == 0",
            "xKind": '"bf16" if xIsWords else dtypes.T',
            "cacheKind": '"bf16" if cacheIsWords else dtypes.U',
            "interleaved": "attrs.interleaved == 1",
        }
        if not self.in_place:
            result["outputOk"] = "sameShape(shapes.y, shapes.x)"
        return result

    def when(self):
        clauses = ["typesOk", "wordsOk", "rotaryDimOk", "cachesOk", "rowsOk", "sizesOk", "workgroupOk", "dispatchOk"]
        if self.multimodal:
            clauses += ["headsOk", "sectionsOk", "scaleOk"]
        else:
            clauses += ["headEven"]
        return clauses + ([] if self.in_place else ["outputOk"])

    def bindings(self):
        fields = ["itemCount", "headSize", "halfRotaryDim", "numHeads", "sequenceLength", "cacheRows"]
        if not self.in_place:
            fields.append("elementCount")
        struct = [{"name": name, "type": "u32", "value": name} for name in fields]
        if self.multimodal:
            section = "attrs.mrope_section"
            # The ends of stripes are cut to 32 bits, beyond any pair.
            values = {
                "tokenCount": "tokenCount",
                "heightStart": f"{section}[0]",
                "widthStart": f"{section}[0] + {section}[1]",
                "heightEnd": f"min(3 * {section}[1], 4294967295)",
                "widthEnd": f"min(3 * {section}[2], 4294967295)",
            }
            struct += [{"name": name, "type": "u32", "value": value} for name, value in values.items()]
            struct.append({"name": "scale", "type": "f32", "value": "attrs.scale"})
        result = {
            "x": {"arg": "x", "elementType": "$Words"},
            "cos_cache": {"arg": "cos", "elementType": "$CacheWords"},
            "sin_cache": {"arg": "sin", "elementType": "$CacheWords"},
            "position_ids": {"arg": "positionIds"},
            "y": {"arg": "y", "elementType": "$Words"},
            "params": {"struct": struct},
        }
        if self.in_place:
            del result["y"]
        return result

    def variant(self, vector):
        if vector:
            shader = "rotary-quad.wgsl.jinja"
            items = "headCount * (halfRotaryDim / 4)" if self.in_place else \
                "headCount * (halfRotaryDim / 4 + ceilDiv(headSize - rotaryDim, 8))"
            words = '"vec4<u32>" if xKind == "f32" else "vec2<u32>"'
            cache = '"vec4<f32>" if cacheKind == "f32" else "vec2<u32>"'
        else:
            shader = "rotary-pair.wgsl.jinja" if self.in_place else "rotary-word.wgsl.jinja"
            items = "headCount * halfRotaryDim" if self.in_place else \
                'elementCount if xKind == "f32" else ceilDiv(elementCount, 2)'
            words = '"atomic<u32>" if sharedWords else "u32"' if self.in_place else '"u32"'
            cache = '"f32" if cacheKind == "f32" else "u32"'
        derive = {
            "layoutRank": "{rank}",
            "hasPositions": "true" if self.multimodal else "{hasPositions}",
            "multimodal": "true" if self.multimodal else "false",
            "inPlace": "true" if self.in_place else "false",
            "scaled": "attrs.scale != 1" if self.multimodal else "false",
        }
        if self.in_place and not vector:
            derive["sharedWords"] = 'xKind != "f32" and not (interleaved and headSize % 2 == 0)'
        derive |= {"Words": words, "CacheWords": cache}
        bindings = ["x", "position_ids", "cos_cache", "sin_cache"] if self.multimodal else \
            ["x", "cos_cache", "sin_cache", "{positions}"]
        bindings += ["params"] if self.in_place else ["y", "params"]
        if vector:
            description = "Four pairs per invocation with vector loads and stores, where head size and half rotary dimension are multiples of 4."
        elif self.in_place:
            description = "One pair per invocation; takes every head size."
        else:
            description = "One 32-bit word of y per invocation; takes every head size."
        variant = {
            "id": "{layout}_quad" if vector else "{layout}",
            "description": description,
            "priority": 10 if vector else 0,
            "when": ["{rankClause}", "{cacheClause}"] + (["vectorsOk"] if vector else []),
            "derive": {
                "itemCount": items,
                "groupCount": "ceilDiv(itemCount, tunables.WORKGROUP_SIZE)",
                "groupRows": "max(1, ceilDiv(groupCount, device.limits.maxComputeWorkgroupsPerDimension))",
            },
            "passes": [{
                "id": "main",
                "shader": shader,
                "derive": derive,
                "bindings": bindings,
                "dispatch": {"x": "ceilDiv(groupCount, groupRows)", "y": "groupRows"},
            }],
        }
        return variant

    def cases(self):
        result = []
        for cache in ("cache2",) if self.multimodal else ("cache2_pos", "cache3"):
            for rank in (3, 4):
                case = {"layout": f"rank{rank}", "rank": rank, "rankClause": f"rank{rank}Ok", "cacheClause": "cache2Ok"}
                if not self.multimodal:
                    gathered = cache == "cache2_pos"
                    case["layout"] += "_" + cache
                    case["cacheClause"] = "cache2Ok" if gathered else "cache3Ok"
                    case["hasPositions"] = gathered
                    case["positions"] = ["position_ids"] if gathered else []
                result.append(case)
        return result

    def manifest(self):
        return {
            "domain": "wgk",
            "name": self.name,
            "sinceVersion": 1,
            "description": self.description(),
            "inputs": self.inputs(),
            "outputs": self.outputs(),
            "attributes": self.attributes(),
            "attributeConstraints": self.attribute_constraints(),
            "typeConstraints": {
                "T": ["float32", "float16", "uint32"],
                "U": ["float32", "float16", "uint32"],
                "M": ["int64"],
            },
            "tunables": {"WORKGROUP_SIZE": {"default": 256, "description": "Invocations per workgroup."}},
            "derive": self.derive(),
            "when": self.when(),
            "bindings": self.bindings(),
            "variants": [{"cases": self.cases(), "variants": [self.variant(True), self.variant(False)]}],
        }


PACKAGES = [Package(multimodal, in_place) for multimodal in (False, True) for in_place in (False, True)]


def files(package):
    yield "manifest.json", json.dumps(package.manifest(), indent=2) + "\n"
    for template in package.templates():
        source = KERNELS / SOURCES[template] / "build" / "webgpu" / template
        yield template, source.read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    arguments = parser.parse_args()
    stale = 0
    for package in PACKAGES:
        folder = KERNELS / f"wgk.{package.name}" / "build" / "webgpu"
        for name, text in files(package):
            target = folder / name
            if not arguments.check:
                folder.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", newline="\n")
            elif not target.exists() or target.read_text(encoding="utf-8") != text:
                print(f"{target} is out of date", file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
