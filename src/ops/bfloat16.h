// bfloat16: the upper half of a float32. Tensors hold it in uint32 words, so it is no dtype.
#pragma once

#include <bit>
#include <cstdint>

namespace wgk::ops {

struct Bfloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(Bfloat16, Bfloat16) = default;
};

inline float bfloat16_to_float(Bfloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

/// To nearest, ties to even; NaN stays NaN and becomes quiet.
inline Bfloat16 float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t upper = bits >> 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return Bfloat16{static_cast<std::uint16_t>(nan ? upper | 0x40 : (bits + 0x7fff + (upper & 1)) >> 16)};
}

}  // namespace wgk::ops
