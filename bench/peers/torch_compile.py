#!/usr/bin/env python3
"""PyTorch, torch.compile with its default backend."""
import common
import torch_rotary

NAME = "torch.compile"
available = torch_rotary.missing


def measure(case):
    import torch

    torch._dynamo.reset()  # every case is compiled for its own shapes, as the packages are
    rotate = torch.compile(torch_rotary.function(torch, case), dynamic=False)
    tensors = torch_rotary.values(torch, case)
    rotate(*tensors)
    return common.cuda_device_ns(torch, lambda: rotate(*tensors))


if __name__ == "__main__":
    common.main(__import__("torch_compile"))
