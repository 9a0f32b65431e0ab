"""What the peer scripts share: the cases, the bytes a call has to move, timing on CUDA, and the table and JSON.

A peer is a module with NAME, `available()` returning a reason why it cannot run here (or None), and
`prepare(case)` returning a function that runs the call some number of times and returns nanoseconds of one call, or
raising Unsupported with the reason.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATORS = ("ai.onnx.RotaryEmbedding", "com.microsoft.MRotaryEmbedding")
ITEM_BYTES = {"float32": 4, "float16": 2, "int64": 4}  # positions count as the uint32 that WGSL reads
SAMPLES = 20


class Unsupported(Exception):
    """The peer has no such operator, dtype or attribute."""


class Case:
    """One case of a bench.json of a rotary package."""

    def __init__(self, operator, entry):
        self.operator = operator
        self.name = entry["name"]
        self.inputs = entry["inputs"]
        self.attrs = entry.get("attrs", {})
        self.dtype = self.inputs["x"]["dtype"]
        self.shape = self.inputs["x"]["shape"]
        self.cache_shape = self.inputs["cos"]["shape"]
        self.positions_shape = self.inputs.get("positionIds", {}).get("shape")
        self.interleaved = bool(self.attrs.get("interleaved", 0))
        self.half = self.cache_shape[-1]
        self.sections = self.attrs.get("mrope_section")
        self.rank3 = len(self.shape) == 3
        if self.rank3:
            self.heads = self.attrs["num_heads"]
            self.batch, self.sequence, width = self.shape
            self.head_size = width // self.heads
        else:
            self.batch, self.heads, self.sequence, self.head_size = self.shape

    def positions(self):
        """Rows in order, as `wgk bench` generates them: a flat list, or None without positions."""
        if self.positions_shape is None:
            return None
        rows = self.cache_shape[0]
        return [i % rows for i in range(math.prod(self.positions_shape))]

    def useful_bytes(self):
        """x read once, y written once, the rows of cos and sin that are used once, positions once."""
        item = ITEM_BYTES[self.dtype]
        total = 2 * math.prod(self.shape) * item
        positions = self.positions()
        if positions is None:
            return total + 2 * math.prod(self.cache_shape) * item
        return total + 2 * len(set(positions)) * self.half * item + 4 * len(positions)


def load_cases(pattern):
    cases = []
    for operator in OPERATORS:
        path = ROOT / "kernels" / operator / "build" / "webgpu" / "bench.json"
        for entry in json.loads(path.read_text())["cases"]:
            if re.search(pattern, entry["name"]):
                cases.append(Case(operator, entry))
    return cases


def cuda_device_ns(torch, call):
    """Nanoseconds of one call: many calls in a CUDA graph, so that launching them from Python is not what is timed."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        calls = max(1, min(1000, int(8.0 / max(start.elapsed_time(end), 0.002))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(calls):
                call()
        graph.replay()
        torch.cuda.synchronize()
        samples = []
        for _ in range(SAMPLES):
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            samples.append(start.elapsed_time(end) * 1e6 / calls)
    return samples


def wall_ns(call, seconds=1.0):
    """Nanoseconds of one call that returns when it is done."""
    call()
    samples = []
    begin = time.perf_counter()
    while len(samples) < 5 or (time.perf_counter() - begin < seconds and len(samples) < 200):
        start = time.perf_counter_ns()
        call()
        samples.append(time.perf_counter_ns() - start)
    return samples


def result(peer, case, samples):
    median = statistics.median(samples)
    return {
        "peer": peer,
        "op": case.operator,
        "case": case.name,
        "usefulBytes": case.useful_bytes(),
        "ns": {"median": median, "min": min(samples), "max": max(samples), "samples": len(samples)},
        "gigabytesPerSecond": case.useful_bytes() / median,
    }


def skipped(peer, case, reason):
    return {"peer": peer, "op": case.operator, "case": case.name, "skipped": reason}


def time_text(nanoseconds):
    for limit, unit, scale in ((1e3, "ns", 1), (1e6, "us", 1e3), (1e9, "ms", 1e6)):
        if nanoseconds < limit:
            return f"{nanoseconds / scale:.{0 if scale == 1 else 2}f} {unit}"
    return f"{nanoseconds / 1e9:.3f} s"


def speed_text(speed):
    return f"{speed:.{0 if speed >= 100 else 1 if speed >= 10 else 2}f}"


def table(results):
    rows = [("case", "peer", "median", "min", "GB/s")]
    for one in results:
        if "skipped" in one:
            rows.append((one["case"], one["peer"], "-", "-", one["skipped"]))
        else:
            ns = one["ns"]
            speed = speed_text(one["gigabytesPerSecond"])
            rows.append((one["case"], one["peer"], time_text(ns["median"]), time_text(ns["min"]), speed))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2].rjust(widths[2]), row[3].rjust(widths[3])]
        lines.append("  ".join([*cells, row[4]]))
    return "\n".join(lines)


def run(peer, cases):
    """Results of one peer; every case is skipped where it is absent."""
    reason = peer.available()
    results = []
    for case in cases:
        if reason is not None:
            results.append(skipped(peer.NAME, case, reason))
            continue
        try:
            results.append(result(peer.NAME, case, peer.measure(case)))
        except Unsupported as unsupported:
            results.append(skipped(peer.NAME, case, str(unsupported)))
    return results


def main(peer):
    parser = argparse.ArgumentParser(description=peer.__doc__)
    parser.add_argument("--case", default="", metavar="REGEX", help="only cases whose name matches")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    cases = load_cases(options.case)
    if not cases:
        parser.error(f'--case: "{options.case}" matches no case')
    results = run(peer, cases)
    if reason := peer.available():
        print(f"{peer.NAME}: skipped: {reason}", file=sys.stderr)
    print(json.dumps({"results": results}, indent=1) if options.json else table(results))
