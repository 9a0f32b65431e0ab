#!/usr/bin/env python3
"""Compares the CPU path of wgk with the CPU execution provider of ONNX Runtime on the same inputs, taking turns.

usage: compare.py [--threads N] [--rounds N] [--shape B,N,S,H] [--only TEXT] WGK_CPU_BENCH [KERNELS]
example: compare.py --threads 2 build/default/wgk_cpu_bench

Both write into memory that is there (Kernel::run_into, IOBinding), and both get the same number of threads. A round is a
few calls of one and then of the other. The ratio is that of the medians; the minima stand beside it, since on a busy
machine they are what the code can do. Needs numpy; without onnxruntime and onnx the peer is skipped.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

try:
    import onnx
    import onnxruntime
except ImportError as missing:
    onnx = onnxruntime = None
    MISSING = f"ONNX Runtime is skipped: {missing} (pip install onnxruntime onnx)"

CALLS_PER_TURN = 8
REST = 0.05  # seconds between turns: threads of ONNX Runtime that have nothing to do spin for a while
ROPE, MROPE, GEMMA = "ai.onnx.RotaryEmbedding", "com.microsoft.MRotaryEmbedding", "com.microsoft.GemmaRotaryEmbedding"
# name, package, numpy dtype, attributes besides those of the shape
CASES = [
    ("RotaryEmbedding float32", ROPE, np.float32, {}),
    ("RotaryEmbedding float16", ROPE, np.float16, {}),
    ("RotaryEmbedding float32 interleaved", ROPE, np.float32, {"interleaved": 1}),
    ("RotaryEmbedding float16 interleaved", ROPE, np.float16, {"interleaved": 1}),
    ("MRotaryEmbedding float32", MROPE, np.float32, {}),
    ("MRotaryEmbedding float16", MROPE, np.float16, {}),
    ("GemmaRotaryEmbedding float16", GEMMA, np.float16, {}),
]


def make_case(package, dtype, shape, attributes):
    """Inputs by (wgk key, ONNX place), and attributes."""
    batch, heads, sequence, size = shape
    random = np.random.default_rng(1)
    if package == GEMMA:
        inputs = {"embT": random.uniform(0, sequence, (batch, sequence, size)).astype(np.float32)}
        for key in ("qT", "qRotT", "kT", "kRotT"):
            inputs[key] = random.standard_normal(shape).astype(dtype)
        return inputs, list(inputs), {}
    half = size // 2
    angles = np.outer(np.arange(sequence), 10000.0 ** (-np.arange(half) / half))
    positions = (batch, sequence) if package == ROPE else (3, batch, sequence)
    inputs = {
        "x": random.standard_normal(shape).astype(dtype),
        "cos": np.cos(angles).astype(dtype),
        "sin": np.sin(angles).astype(dtype),
        "positionIds": random.integers(0, sequence, positions, dtype=np.int64),
    }
    if package == ROPE:
        return inputs, ["x", "cos", "sin", "positionIds"], attributes
    third = half // 3
    sections = [half - 2 * third, third, third]
    return inputs, ["x", "positionIds", "cos", "sin"], {**attributes, "mrope_section": sections}


class Wgk:
    def __init__(self, program, package, inputs, attributes, threads, folder):
        request = {"inputs": {}, "attrs": attributes}
        for key, value in inputs.items():
            np.save(folder / f"{key}.npy", value)
            request["inputs"][key] = {"dtype": str(value.dtype), "shape": list(value.shape),
                                      "data": {"kind": "npy", "path": f"{key}.npy"}}
        (folder / "request.json").write_text(json.dumps(request))
        self.folder = folder
        self.process = subprocess.Popen([program, package, str(folder / "request.json"), str(threads)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("wgk_cpu_bench ended; its message is above")
        return answer.strip()

    def times(self, count, fresh=False):
        return [float(t) for t in self.ask(f"{'fresh' if fresh else 'reuse'} {count}").split()]

    def output(self, dtype):
        self.ask(f"save {self.folder / 'y'}")
        return np.fromfile(self.folder / "y", dtype=dtype)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class OnnxRuntime:
    """Raises where the execution provider lacks the operator."""

    def __init__(self, package, inputs, order, attributes, threads):
        helper = onnx.helper
        domain, _, operator = package.rpartition(".")
        domain = "" if domain == "ai.onnx" else domain
        names = [name if name in inputs else "" for name in order]
        outputs = ["output1T", "output2T"] if package == GEMMA else ["y"]
        model_of = inputs["qT" if package == GEMMA else "x"]

        def info(name, array):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

        graph = helper.make_graph([helper.make_node(operator, names, outputs, domain=domain, **attributes)], "g",
                                  [info(k, v) for k, v in inputs.items()], [info(o, model_of) for o in outputs])
        model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 23),
                                                                      helper.make_opsetid("com.microsoft", 1)])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        self.inputs = inputs
        self.binding = self.session.io_binding()
        self.values = {k: onnxruntime.OrtValue.ortvalue_from_numpy(v) for k, v in inputs.items()}
        self.results = {o: onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros_like(model_of)) for o in outputs}
        for key, value in self.values.items():
            self.binding.bind_ortvalue_input(key, value)
        for key, value in self.results.items():
            self.binding.bind_ortvalue_output(key, value)

    def times(self, count):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            self.session.run_with_iobinding(self.binding)
            times.append((time.perf_counter() - start) * 1e3)
        return times

    def output(self):
        return next(iter(self.results.values())).numpy().ravel()


def open_peer(*arguments):
    if onnxruntime is None:
        return None, "skipped"
    try:
        return OnnxRuntime(*arguments), ""
    except Exception as error:  # its errors have no common class of their own
        absent = "not_implemented" in str(error).lower() or "not a registered" in str(error).lower()
        return None, "has no such operator" if absent else str(error).splitlines()[0][:60]


def difference(ours, theirs):
    """Share of elements that differ in their bits, and by how much at most."""
    differs = ours.view(np.uint8).reshape(ours.size, -1) != theirs.view(np.uint8).reshape(ours.size, -1)
    most = np.max(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)))
    return f"{100 * np.mean(differs.any(axis=1)):.3g}% differ, by {most:.2g} at most"


def measure(case, args):
    name, package, dtype, extra = case
    inputs, order, attributes = make_case(package, dtype, args.shape, extra)
    with tempfile.TemporaryDirectory() as folder:
        wgk = Wgk(args.program, str(Path(args.kernels) / package), inputs, attributes, args.threads, Path(folder))
        peer, problem = open_peer(package, inputs, order, attributes, args.threads)
        peak = int(wgk.ask("peak"))
        wgk.times(2)
        if peer:
            peer.times(2)
        ours, theirs, fresh = [], [], []
        for _ in range(args.rounds):
            time.sleep(REST)
            ours += wgk.times(CALLS_PER_TURN)
            if peer:
                time.sleep(REST)
                theirs += peer.times(CALLS_PER_TURN)
        fresh = wgk.times(CALLS_PER_TURN, fresh=True)
        agreement = difference(wgk.output(dtype), peer.output()) if peer else ""
        wgk.close()
    median = statistics.median
    written = 2 * inputs["qT"].nbytes if package == GEMMA else inputs["x"].nbytes
    moved = sum(v.nbytes for v in inputs.values()) + written
    row = (f"| {name} | {median(ours):.3g} / {min(ours):.3g} | {moved / min(ours) / 1e6:.1f} "
           f"| {median(fresh):.3g} | {peak} ")
    if peer:
        return row + (f"| {median(theirs):.3g} / {min(theirs):.3g} | {median(theirs) / median(ours):.2f} "
                      f"/ {min(theirs) / min(ours):.2f} | {agreement} |")
    return row + f"| {problem} | – | – |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1, help="of both (default 1)")
    parser.add_argument("--rounds", type=int, default=10, help=f"of {CALLS_PER_TURN} calls each (default 10)")
    parser.add_argument("--shape", default="1,32,2048,128", help="B,N,S,H (default 1,32,2048,128)")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("program", help="wgk_cpu_bench")
    parser.add_argument("kernels", nargs="?", default=str(Path(__file__).resolve().parents[2] / "kernels"))
    args = parser.parse_args()
    args.shape = tuple(int(d) for d in args.shape.split(","))
    if len(args.shape) != 4 or min(args.shape) < 1 or args.rounds < 1 or args.threads < 1:
        parser.error("--shape needs four positive numbers, --threads and --rounds a positive one")
    if onnxruntime is None:
        print(MISSING, file=sys.stderr)
    peer = f"ONNX Runtime {onnxruntime.__version__}" if onnxruntime else "ONNX Runtime"
    print(f"{list(args.shape)}, {args.threads} thread(s), {args.rounds} rounds; ms are median / minimum\n")
    print(f"| case | wgk, ms | GB/s | new memory, ms | beyond outputs, KiB | {peer}, ms | ratio | results |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in CASES:
        if args.only in case[0]:
            print(measure(case, args), flush=True)


if __name__ == "__main__":
    main()
