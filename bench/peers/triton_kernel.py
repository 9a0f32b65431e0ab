"""The kernel of triton_rotary.py. A module of its own, because importing it needs Triton."""
import triton
import triton.language as tl


@triton.jit
def rotate(x, cos, sin, positions, y, sequence, heads, head_size: tl.constexpr, half: tl.constexpr,
           block: tl.constexpr, group: tl.constexpr):
    token = tl.program_id(0)
    first_head = tl.program_id(1) * group
    batch = token // sequence
    column = tl.arange(0, block)
    inside = column < half
    row = tl.load(positions + token)
    c = tl.load(cos + row * half + column, mask=inside).to(tl.float32)
    s = tl.load(sin + row * half + column, mask=inside).to(tl.float32)
    for i in tl.static_range(group):
        head = (batch * heads + first_head + i).to(tl.int64)
        base = (head * sequence + token % sequence) * head_size
        a = tl.load(x + base + column, mask=inside).to(tl.float32)
        b = tl.load(x + base + half + column, mask=inside).to(tl.float32)
        tl.store(y + base + column, (a * c - b * s).to(y.dtype.element_ty), mask=inside)
        tl.store(y + base + half + column, (b * c + a * s).to(y.dtype.element_ty), mask=inside)
