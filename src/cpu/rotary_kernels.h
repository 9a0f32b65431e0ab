// The inner loops of RotaryEmbedding and MRotaryEmbedding, compiled for every instruction set and chosen at run time.
#pragma once

#include <cstddef>

#include "ops/rotary.h"

namespace wgk::cpu {

/// The factors of one token as the inner loops want them, for the pairs of a block. Half-split: cos[p] and sin[p].
/// Interleaved: one per element, cos = (c0, c0, c1, c1, …) and sin = (-s0, s0, -s1, s1, …).
struct Factors {
  const float* cos = nullptr;  ///< null: the position is outside the cache and the pairs stay as they are
  const float* sin = nullptr;
};

/// Rows of one head each; a row starts at x + token * token_stride + head * head_stride, in elements.
struct RotaryBlock {
  ops::RotaryElement element = ops::RotaryElement::kFloat32;
  bool interleaved = false;
  const std::byte* x = nullptr;
  std::byte* y = nullptr;
  std::size_t tokens = 0;
  std::size_t token_stride = 0;
  std::size_t heads = 0;
  std::size_t head_stride = 0;
  const Factors* factors = nullptr;  ///< one per token

  std::size_t half = 0;  ///< distance of the elements of a pair where they are not interleaved
  std::size_t first_pair = 0;
  std::size_t pairs = 0;
  std::size_t tail_begin = 0;  ///< elements [tail_begin, tail_begin + tail) of a row are copied
  std::size_t tail = 0;

  /// Writes past the caches. Every row must be whole: all of its pairs and its tail, of kMaxStreamedRow bytes at most.
  bool stream = false;
  static constexpr std::size_t kMaxStreamedRow = std::size_t{16} << 10;
};

/// Rotates all rows. Results are the same on every instruction set: two products and one sum in float32, each rounded,
/// then one rounding to the element.
void rotate(const RotaryBlock& block);

/// Cache values to factors.
struct Expansion {
  ops::RotaryElement element = ops::RotaryElement::kFloat32;
  bool interleaved = false;
  float scale = 1;
  const std::byte* cos = nullptr;
  const std::byte* sin = nullptr;
  std::size_t pairs = 0;
  float* out_cos = nullptr;
  float* out_sin = nullptr;
};

/// A scale other than 1 multiplies in float32, and the product is rounded to the element.
void expand(const Expansion& expansion);

/// Bytes of an element.
constexpr std::size_t size_of(ops::RotaryElement element) { return element == ops::RotaryElement::kFloat32 ? 4 : 2; }

}  // namespace wgk::cpu
