// See oracle.h. The one assumption: sin and cos of the C library are within 4 units in the last place.
#include "oracle.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <mpfr.h>

namespace wgk::verify_trig {
namespace {

constexpr std::uint32_t kSignBit = 0x8000;
constexpr std::uint32_t kNan = 0x7e00;
constexpr mpfr_prec_t kPrecision = 256;

/// Exponent of the float16 unit in the last place for a magnitude of at most 1: -24 for all subnormals and 2^-14.
int half_unit_exponent(double magnitude) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
  return (exponent < -14 ? -14 : exponent) - 10;
}

/// Bits of the float16 that is `units` steps of 2^unit_exponent, where units <= 2048.
std::uint32_t half_bits(std::uint32_t units, int unit_exponent) {
  return (static_cast<std::uint32_t>(unit_exponent + 24) << 10) + units;
}

/// 2^exponent for exponents of normal doubles.
double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

/// MPFR number that is freed with its scope.
class Real {
 public:
  Real() { mpfr_init2(value_, kPrecision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// Frees what MPFR caches for a thread (pi, for range reduction) when the thread ends.
struct ThreadCache {
  ThreadCache() = default;
  ~ThreadCache() { mpfr_free_cache(); }
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;
};

std::uint32_t exact_half(float angle, bool sine) {
  static thread_local const ThreadCache cache;
  static_cast<void>(&cache);  // a thread_local that is not used is not constructed
  Real value;
  mpfr_set_flt(value.get(), angle, MPFR_RNDN);
  if (sine) {
    mpfr_sin(value.get(), value.get(), MPFR_RNDN);
  } else {
    mpfr_cos(value.get(), value.get(), MPFR_RNDN);
  }
  const std::uint32_t sign = mpfr_signbit(value.get()) != 0 ? kSignBit : 0;
  mpfr_abs(value.get(), value.get(), MPFR_RNDN);
  const int unit_exponent = half_unit_exponent(mpfr_get_d(value.get(), MPFR_RNDZ));
  mpfr_mul_2si(value.get(), value.get(), -unit_exponent, MPFR_RNDN);
  mpfr_rint(value.get(), value.get(), MPFR_RNDN);
  return sign | half_bits(static_cast<std::uint32_t>(mpfr_get_ui(value.get(), MPFR_RNDN)), unit_exponent);
}

/// Rounds `value`, the double nearest to the wanted result give or take 4 ulp; asks MPFR when that could matter.
std::uint32_t rounded_half(double value, float angle, bool sine, std::uint64_t& fallbacks) {
  const double magnitude = std::fabs(value);
  const int unit_exponent = half_unit_exponent(magnitude);
  const double steps = magnitude * power_of_two(-unit_exponent);  // exact, below 2049
  const auto whole = static_cast<std::uint32_t>(steps);
  const double above_midpoint = (steps - whole) - 0.5;  // exact
  if (std::fabs(above_midpoint) <= steps * power_of_two(-50)) {
    ++fallbacks;
    return exact_half(angle, sine);
  }
  const std::uint32_t sign = std::signbit(value) ? kSignBit : 0;
  return sign | half_bits(whole + (above_midpoint > 0 ? 1 : 0), unit_exponent);
}

}  // namespace

SinCosHalf oracle_sin_cos(std::uint32_t angle_bits, std::uint64_t& fallbacks) {
  const float angle = std::bit_cast<float>(angle_bits);
  if (!std::isfinite(angle)) {
    return {kNan, kNan};
  }
  const double wide = angle;
  return {rounded_half(std::cos(wide), angle, false, fallbacks), rounded_half(std::sin(wide), angle, true, fallbacks)};
}

}  // namespace wgk::verify_trig
