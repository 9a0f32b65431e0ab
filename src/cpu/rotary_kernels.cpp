// float32 arithmetic without fused operations, so that all instruction sets give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/rotary_kernels.cpp"
#include "cpu/rotary_kernels.h"

#include <algorithm>
#include <cstring>
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "cpu/simd_elements-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wgk::cpu {
namespace HWY_NAMESPACE {

template <class E>
using BitsOf = typename E::Bits;

template <class E>
struct HalfSplit {
  static HWY_INLINE void rotate(const BitsOf<E>* x, BitsOf<E>* y, const Factors& f, const RotaryBlock& block) {
    const BitsOf<E>* x0 = x + block.first_pair;
    const BitsOf<E>* x1 = x0 + block.half;
    BitsOf<E>* y0 = y + block.first_pair;
    BitsOf<E>* y1 = y0 + block.half;
    for_vectors(block.pairs, [&](auto d, std::size_t p) HWY_ATTR {
      const auto a = E::load(d, x0 + p);
      const auto b = E::load(d, x1 + p);
      const auto c = hn::LoadU(d, f.cos + p);
      const auto s = hn::LoadU(d, f.sin + p);
      E::store(d, hn::Sub(hn::Mul(a, c), hn::Mul(b, s)), y0 + p);
      E::store(d, hn::Add(hn::Mul(a, s), hn::Mul(b, c)), y1 + p);
    });
  }

  static void copy(const BitsOf<E>* x, BitsOf<E>* y, const RotaryBlock& block) {
    const std::size_t size = block.pairs * sizeof(*x);
    std::memcpy(y + block.first_pair, x + block.first_pair, size);
    std::memcpy(y + block.first_pair + block.half, x + block.first_pair + block.half, size);
  }
};

template <class E>
struct Interleaved {
  static HWY_INLINE void rotate(const BitsOf<E>* x, BitsOf<E>* y, const Factors& f, const RotaryBlock& block) {
    const BitsOf<E>* from = x + 2 * block.first_pair;
    BitsOf<E>* to = y + 2 * block.first_pair;
    for_vectors(2 * block.pairs, [&](auto d, std::size_t i) HWY_ATTR {
      const auto v = E::load(d, from + i);
      const auto own = hn::Mul(v, hn::LoadU(d, f.cos + i));
      E::store(d, hn::Add(own, hn::Mul(partners(d, v, from, i), hn::LoadU(d, f.sin + i))), to + i);
    });
  }

  static void copy(const BitsOf<E>* x, BitsOf<E>* y, const RotaryBlock& block) {
    std::memcpy(y + 2 * block.first_pair, x + 2 * block.first_pair, 2 * block.pairs * sizeof(*x));
  }

 private:
  /// Each element in the place of its partner.
  template <class D>
  static HWY_INLINE hn::Vec<D> partners(D d, hn::Vec<D> v, const BitsOf<E>* from, std::size_t i) {
    if constexpr (hn::MaxLanes(D()) == 1) {
      return E::load(d, from + (i ^ 1));
    } else {
      return hn::Reverse2(d, v);
    }
  }
};

template <class E, class Pairing>
HWY_INLINE void rotate_row(const RotaryBlock& block, std::size_t token, const BitsOf<E>* x, BitsOf<E>* y) {
  const Factors& factors = block.factors[token];
  if (factors.cos != nullptr) {
    Pairing::rotate(x, y, factors, block);
  } else {
    Pairing::copy(x, y, block);
  }
  if (block.tail != 0) std::memcpy(y + block.tail_begin, x + block.tail_begin, block.tail * sizeof(*x));
}

/// Copies to memory without reading it first, as a store through the caches does. The ends go through the caches.
HWY_INLINE void stream_bytes(const std::byte* from, std::byte* to, std::size_t size) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = std::min(size, (lanes - reinterpret_cast<std::uintptr_t>(to) % lanes) % lanes);
  std::memcpy(to, from, i);
  for (; i + lanes <= size; i += lanes) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + i));
    hn::Stream(bytes, d, reinterpret_cast<std::uint8_t*>(to + i));
  }
  std::memcpy(to + i, from + i, size - i);
}

/// The rows of a block in the order of memory: runs of rows that lie one after the other.
struct RowOrder {
  explicit RowOrder(const RotaryBlock& b)
      : heads_inside(b.head_stride < b.token_stride),
        runs(heads_inside ? b.tokens : b.heads),
        rows(heads_inside ? b.heads : b.tokens),
        run_stride(heads_inside ? b.token_stride : b.head_stride),
        row_stride(heads_inside ? b.head_stride : b.token_stride) {}

  std::size_t token(std::size_t run, std::size_t row) const { return heads_inside ? run : row; }
  std::size_t start(std::size_t run, std::size_t row) const { return run * run_stride + row * row_stride; }

  bool heads_inside;
  std::size_t runs, rows, run_stride, row_stride;
};

template <class E, class Pairing>
void rotate_rows(const RotaryBlock& block) {
  const RowOrder order(block);
  const auto* x = reinterpret_cast<const BitsOf<E>*>(block.x);
  auto* y = reinterpret_cast<BitsOf<E>*>(block.y);
  for (std::size_t run = 0; run < order.runs; ++run) {
    for (std::size_t row = 0; row < order.rows; ++row) {
      const std::size_t start = order.start(run, row);
      rotate_row<E, Pairing>(block, order.token(run, row), x + start, y + start);
    }
  }
}

/// The same through a buffer in the nearest cache.
template <class E, class Pairing>
void stream_rows(const RotaryBlock& block) {
  constexpr std::size_t kBuffer = RotaryBlock::kMaxStreamedRow / sizeof(BitsOf<E>);
  HWY_ALIGN BitsOf<E> buffer[kBuffer];
  const RowOrder order(block);
  const std::size_t most = kBuffer / order.row_stride;
  const auto* x = reinterpret_cast<const BitsOf<E>*>(block.x);
  for (std::size_t run = 0; run < order.runs; ++run) {
    for (std::size_t first = 0; first < order.rows; first += most) {
      const std::size_t count = std::min(most, order.rows - first);
      const std::size_t start = order.start(run, first);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t offset = i * order.row_stride;
        rotate_row<E, Pairing>(block, order.token(run, first + i), x + start + offset, buffer + offset);
      }
      stream_bytes(reinterpret_cast<const std::byte*>(buffer), block.y + start * sizeof(BitsOf<E>),
                   count * order.row_stride * sizeof(BitsOf<E>));
    }
  }
  hwy::FlushStream();  // other threads may read once this one says that it is done
}

template <class E, class Pairing>
void rotate_with(const RotaryBlock& block) {
  block.stream ? stream_rows<E, Pairing>(block) : rotate_rows<E, Pairing>(block);
}

template <class E>
void rotate_elements(const RotaryBlock& block) {
  block.interleaved ? rotate_with<E, Interleaved<E>>(block) : rotate_with<E, HalfSplit<E>>(block);
}

void rotate_block(const RotaryBlock& block) {
  switch (block.element) {
    case ops::RotaryElement::kFloat32:
      return rotate_elements<Elements<ops::RotaryElement::kFloat32>>(block);
    case ops::RotaryElement::kFloat16:
      return rotate_elements<Elements<ops::RotaryElement::kFloat16>>(block);
    case ops::RotaryElement::kBfloat16:
      return rotate_elements<Elements<ops::RotaryElement::kBfloat16>>(block);
  }
}

template <class E>
void expand_elements(const Expansion& e) {
  const auto* cos = reinterpret_cast<const BitsOf<E>*>(e.cos);
  const auto* sin = reinterpret_cast<const BitsOf<E>*>(e.sin);
  for_vectors(e.pairs, [&](auto d, std::size_t p) HWY_ATTR {
    auto c = E::load(d, cos + p);
    auto s = E::load(d, sin + p);
    if (e.scale != 1.0f) {
      c = E::rounded(d, hn::Mul(c, hn::Set(d, e.scale)));
      s = E::rounded(d, hn::Mul(s, hn::Set(d, e.scale)));
    }
    if (e.interleaved) {
      hn::StoreInterleaved2(c, c, d, e.out_cos + 2 * p);
      hn::StoreInterleaved2(hn::Neg(s), s, d, e.out_sin + 2 * p);
    } else {
      hn::StoreU(c, d, e.out_cos + p);
      hn::StoreU(s, d, e.out_sin + p);
    }
  });
}

void expand_row(const Expansion& e) {
  switch (e.element) {
    case ops::RotaryElement::kFloat32:
      return expand_elements<Elements<ops::RotaryElement::kFloat32>>(e);
    case ops::RotaryElement::kFloat16:
      return expand_elements<Elements<ops::RotaryElement::kFloat16>>(e);
    case ops::RotaryElement::kBfloat16:
      return expand_elements<Elements<ops::RotaryElement::kBfloat16>>(e);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace wgk::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wgk::cpu {

HWY_EXPORT(rotate_block);
HWY_EXPORT(expand_row);

void rotate(const RotaryBlock& block) { HWY_DYNAMIC_DISPATCH(rotate_block)(block); }
void expand(const Expansion& expansion) { HWY_DYNAMIC_DISPATCH(expand_row)(expansion); }

}  // namespace wgk::cpu
#endif
