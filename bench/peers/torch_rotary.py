"""Rotary embedding in PyTorch as models write it, eager and compiled; not a peer itself but what two peers share."""
import common


def missing():
    try:
        import torch
    except ImportError as error:
        return f"PyTorch is not installed ({error})"
    return None if torch.cuda.is_available() else "PyTorch sees no CUDA device"


def values(torch, case, device="cuda"):
    """Tensors of a case: x, cos, sin and positions (None without)."""
    dtype = getattr(torch, case.dtype)
    x = torch.randn(case.shape, device=device).to(dtype)
    angles = torch.rand(case.cache_shape, device=device)
    positions = case.positions()
    if positions is not None:
        positions = torch.tensor(positions, device=device).reshape(case.positions_shape)
    return x, angles.cos().to(dtype), angles.sin().to(dtype), positions


def function(torch, case):
    """f(x, cos, sin, positions) -> y for the attributes of the case."""
    if case.attrs.get("mrope_layout", 0) not in (0,):
        raise common.Unsupported("only the sectioned layout of mrope is written here")
    rotated = 2 * case.half

    def rows(cache, positions):
        if positions is None:
            return cache
        if case.sections is None:
            return cache[positions]
        parts = torch.split(cache[positions], case.sections, dim=-1)
        return torch.cat([part[stream] for stream, part in enumerate(parts)], dim=-1)

    def rotate(x, cos, sin, positions):
        heads = x.view(case.batch, case.sequence, case.heads, case.head_size).transpose(1, 2) if case.rank3 else x
        cos, sin = rows(cos, positions).unsqueeze(1), rows(sin, positions).unsqueeze(1)
        turned = heads[..., :rotated]
        if case.interleaved:
            first, second = turned[..., 0::2], turned[..., 1::2]
            y = torch.stack((first * cos - second * sin, second * cos + first * sin), dim=-1).flatten(-2)
        else:
            first, second = turned[..., : case.half], turned[..., case.half :]
            y = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
        if rotated < case.head_size:
            y = torch.cat((y, heads[..., rotated:]), dim=-1)
        return y.transpose(1, 2).reshape(case.shape) if case.rank3 else y

    return rotate
