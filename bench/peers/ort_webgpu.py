#!/usr/bin/env python3
"""ONNX Runtime's WebGPU provider. A call is timed from the outside: CALLS of them and one download, less the same with
half as many, so that neither the download nor the first submission counts."""
import time

import common
import ort_model

NAME = "onnxruntime webgpu"
PROVIDER = "WebGpuExecutionProvider"
CALLS = 64
SAMPLES = 12


def available():
    return ort_model.missing(PROVIDER)


def measure(case):
    import onnxruntime

    made = ort_model.session(case, PROVIDER)
    binding = made.io_binding()
    for name, tensor in ort_model.values(case).items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(tensor, "webgpu", 0))
    binding.bind_output("y", "webgpu")

    def batch(calls):
        start = time.perf_counter_ns()
        for _ in range(calls):
            made.run_with_iobinding(binding)
        binding.synchronize_outputs()
        return time.perf_counter_ns() - start

    try:
        batch(CALLS)
        return [max(1.0, (batch(2 * CALLS) - batch(CALLS)) / CALLS) for _ in range(SAMPLES)]
    except Exception as error:
        raise common.Unsupported(f"ONNX Runtime fails: {str(error).splitlines()[0]}") from error


if __name__ == "__main__":
    common.main(__import__("ort_webgpu"))
