#!/usr/bin/env python3
"""ONNX Runtime on the CPU; WGK_PEER_THREADS sets its threads (default: its own choice)."""
import os

import common
import ort_model

NAME = "onnxruntime cpu"
PROVIDER = "CPUExecutionProvider"


def available():
    return ort_model.missing(PROVIDER)


def measure(case):
    made = ort_model.session(case, PROVIDER, int(os.environ.get("WGK_PEER_THREADS", "0")))
    binding = made.io_binding()
    for name, tensor in ort_model.values(case).items():
        binding.bind_cpu_input(name, tensor)
    binding.bind_output("y")
    try:
        return common.wall_ns(lambda: made.run_with_iobinding(binding))
    except Exception as error:
        raise common.Unsupported(f"ONNX Runtime fails: {str(error).splitlines()[0]}") from error


if __name__ == "__main__":
    common.main(__import__("ort_cpu"))
