// binary16 conversions in integer arithmetic: the same bits on every compiler, rounding mode and instruction set.
#include "base/float16.h"

#include <bit>
#include <cstdint>

namespace wgk {
namespace {

/// value >> shift, rounded to nearest with ties to even. 1 <= shift <= 63.
constexpr std::uint64_t shift_right_rounded(std::uint64_t value, int shift) {
  const std::uint64_t quotient = value >> shift;
  const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

/// Rounds an IEEE number with `kMantissaBits` of stored mantissa and exponent bias `kBias`, given without its sign.
template <int kMantissaBits, int kBias>
constexpr std::uint16_t narrow_magnitude(std::uint64_t magnitude) {
  constexpr std::uint64_t kInfinity = static_cast<std::uint64_t>(2 * kBias + 1) << kMantissaBits;
  constexpr int kDropped = kMantissaBits - 10;
  if (magnitude > kInfinity) {
    // The quiet bit is set and the upper payload bits stay, which is what conversion instructions do.
    return static_cast<std::uint16_t>(0x7e00 | ((magnitude >> kDropped) & 0x3ff));
  }
  const int exponent = static_cast<int>(magnitude >> kMantissaBits) - kBias;
  if (exponent > 15) return 0x7c00;
  if (exponent >= -14) {
    const std::uint64_t rebiased = magnitude - (static_cast<std::uint64_t>(kBias - 15) << kMantissaBits);
    return static_cast<std::uint16_t>(shift_right_rounded(rebiased, kDropped));  // a carry out of 65504 gives infinity
  }
  if (exponent < -25) return 0;
  // Subnormal result, in units of 2^-24. A source this far above its own subnormals has the implicit bit.
  const std::uint64_t implicit = std::uint64_t{1} << kMantissaBits;
  const std::uint64_t significand = (magnitude & (implicit - 1)) | implicit;
  return static_cast<std::uint16_t>(shift_right_rounded(significand, kMantissaBits - 24 - exponent));
}

}  // namespace

inline namespace v0 {

Float16 float_to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  return Float16{static_cast<std::uint16_t>(sign | narrow_magnitude<23, 127>(bits & 0x7fffffff))};
}

float float16_to_float(Float16 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1f;
  const std::uint32_t mantissa = value.bits & 0x3ff;
  std::uint32_t magnitude = 0;
  if (exponent == 0x1f) {
    magnitude = 0x7f800000 | (mantissa << 13) | (mantissa != 0 ? 0x400000u : 0u);
  } else if (exponent != 0) {
    magnitude = ((exponent + 112) << 23) | (mantissa << 13);
  } else if (mantissa != 0) {
    const int shift = std::countl_zero(mantissa) - 21;  // brings the leading one to the implicit bit of binary16
    magnitude = (static_cast<std::uint32_t>(113 - shift) << 23) | (((mantissa << shift) & 0x3ff) << 13);
  }
  return std::bit_cast<float>(sign | magnitude);
}

}  // namespace v0

Float16 base::double_to_float16(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000);
  return Float16{static_cast<std::uint16_t>(sign | narrow_magnitude<52, 1023>(bits & ~(std::uint64_t{1} << 63)))};
}

}  // namespace wgk
