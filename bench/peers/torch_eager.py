#!/usr/bin/env python3
"""PyTorch, eager."""
import common
import torch_rotary

NAME = "torch eager"
available = torch_rotary.missing


def measure(case):
    import torch

    rotate = torch_rotary.function(torch, case)
    tensors = torch_rotary.values(torch, case)
    return common.cuda_device_ns(torch, lambda: rotate(*tensors))


if __name__ == "__main__":
    common.main(__import__("torch_eager"))
