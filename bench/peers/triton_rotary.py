#!/usr/bin/env python3
"""A Triton kernel: one program per token and group of heads, cos and sin loaded once for the group."""
import common
import torch_rotary

NAME = "triton"
HEADS_PER_PROGRAM = (1, 2, 4, 8)  # the best one counts


def available():
    if reason := torch_rotary.missing():
        return reason
    try:
        import triton  # noqa: F401
    except ImportError as error:
        return f"Triton is not installed ({error})"
    return None


def measure(case):
    import torch
    import triton

    import triton_kernel

    if case.rank3 or case.interleaved or case.sections or case.positions_shape is None:
        raise common.Unsupported("the kernel knows rank 4, half-split, one position per token")
    if 2 * case.half != case.head_size:
        raise common.Unsupported("the kernel rotates whole heads")
    x, cos, sin, positions = torch_rotary.values(torch, case)
    y = torch.empty_like(x)
    best = None
    for group in HEADS_PER_PROGRAM:
        if case.heads % group:
            continue
        grid = (case.batch * case.sequence, case.heads // group)

        def call(group=group, grid=grid):
            triton_kernel.rotate[grid](x, cos, sin, positions, y, case.sequence, case.heads, case.head_size, case.half,
                                       triton.next_power_of_2(case.half), group,
                                       num_warps=max(1, min(4, case.half // 32)))

        samples = common.cuda_device_ns(torch, call)
        if best is None or sorted(samples)[len(samples) // 2] < sorted(best)[len(best) // 2]:
            best = samples
    want = torch_rotary.function(torch, case)(x, cos, sin, positions)
    if not torch.allclose(y.float(), want.float(), atol=2e-2 if case.dtype == "float16" else 1e-5):
        raise RuntimeError(f"{case.name}: the Triton kernel computes something else than PyTorch")
    return best


if __name__ == "__main__":
    common.main(__import__("triton_rotary"))
