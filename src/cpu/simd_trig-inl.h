// Cosine and sine of float32 angles, correctly rounded to float16. Included once for every instruction set.
//
// An error below 2^-48 cannot change a result (src/ops/trig16.cpp says why), except that of sines of angles below
// 2^-11, which are treated apart. Here the errors are: of the reduced angle 2^-53, of the polynomials' truncation
// 2^-54, of their evaluation a few units of 2^-53.
#include <array>
#include <cstdint>
#include <hwy/highway.h>

#include "cpu/simd_elements-inl.h"
#include "ops/trig16.h"

#if defined(WGK_CPU_SIMD_TRIG_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WGK_CPU_SIMD_TRIG_INL_H
#undef WGK_CPU_SIMD_TRIG_INL_H
#else
#define WGK_CPU_SIMD_TRIG_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace wgk::cpu {
namespace HWY_NAMESPACE {

/// Vectors of float64 and what belongs to them.
using Wide = hn::ScalableTag<double>;
using WideBits = hn::RebindToUnsigned<Wide>;
using Narrow = hn::Rebind<float, Wide>;  ///< as many lanes

template <class D>
struct CosSin {
  hn::Vec<D> cos;
  hn::Vec<D> sin;
};

/// c[0] + x * (c[1] + x * (…))
template <class D, std::size_t kCount>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> x, const std::array<double, kCount>& c) {
  auto sum = hn::Set(d, c[kCount - 1]);
  for (std::size_t i = kCount - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

/// For |angle| < 2^20.
HWY_INLINE CosSin<Wide> cos_sin(Wide d, hn::Vec<Wide> angle) {
  const WideBits bits;
  // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
  const auto shift = hn::Set(d, 0x1.8p52);
  const auto shifted = hn::MulAdd(angle, hn::Set(d, 0x1.45f306dc9c883p-1), shift);  // 2 / pi
  const auto quarter = hn::BitCast(bits, shifted);
  const auto k = hn::Sub(shifted, shift);
  // pi / 2 in three parts. k has at most 20 bits and the first two parts have 33, so that their products are exact, and
  // so is the first difference: both sides are multiples of 2^-32 below 2^20, or k is 0.
  auto r = hn::Sub(angle, hn::Mul(k, hn::Set(d, 0x1.921fb544p0)));
  r = hn::Sub(r, hn::Mul(k, hn::Set(d, 0x1.0b4611a6p-34)));
  r = hn::Sub(r, hn::Mul(k, hn::Set(d, 0x1.3198a2e037073p-69)));

  // Taylor's series around 0; |r| <= pi / 4.
  constexpr std::array<double, 8> kSin = {1.0,          -1.0 / 6,        1.0 / 120,         -1.0 / 5040,
                                          1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800., -1.0 / 1307674368000.};
  constexpr std::array<double, 9> kCos = {1.0,
                                          -1.0 / 2,
                                          1.0 / 24,
                                          -1.0 / 720,
                                          1.0 / 40320,
                                          -1.0 / 3628800,
                                          1.0 / 479001600.,
                                          -1.0 / 87178291200.,
                                          1.0 / 20922789888000.};
  const auto square = hn::Mul(r, r);
  const auto sin = hn::Mul(r, polynomial(d, square, kSin));
  const auto cos = polynomial(d, square, kCos);

  // Quarter turns: an odd number exchanges the two; two of them turn both signs.
  const auto one = hn::Set(bits, std::uint64_t{1});
  const auto exchange = hn::MaskFromVec(hn::BitCast(d, hn::Sub(hn::Zero(bits), hn::And(quarter, one))));
  const auto sin_sign = hn::BitCast(d, hn::ShiftLeft<62>(hn::AndNot(one, quarter)));
  const auto cos_sign = hn::BitCast(d, hn::ShiftLeft<62>(hn::AndNot(one, hn::Add(quarter, one))));
  const auto top = hn::SignBit(d);
  return {hn::Xor(hn::IfThenElse(exchange, sin, cos), hn::And(cos_sign, top)),
          hn::Xor(hn::IfThenElse(exchange, cos, sin), hn::And(sin_sign, top))};
}

/// Rounds float64 to float32 such that rounding again, to float16, is as good as rounding once: what is cut off leaves
/// a mark in the last bit.
HWY_INLINE hn::Vec<Narrow> to_odd_float(Wide d, hn::Vec<Wide> v) {
  const WideBits bits;
  constexpr std::uint64_t kDropped = (std::uint64_t{1} << 29) - 1;
  const auto dropped = hn::Set(bits, kDropped);
  const auto word = hn::BitCast(bits, v);
  const auto carried = hn::Add(hn::And(word, dropped), dropped);
  const auto marked = hn::Or(word, hn::And(carried, hn::Set(bits, kDropped + 1)));
  return hn::DemoteTo(Narrow(), hn::BitCast(d, hn::AndNot(dropped, marked)));
}

/// The sine of an angle below 2^-11 lies just below it: by less than float16 can notice, except where the angle is
/// midway between two float16 numbers.
HWY_INLINE hn::Vec<Wide> sine_of_small(Wide d, hn::Vec<Wide> angle) {
  const WideBits bits;
  const auto below = hn::BitCast(d, hn::Sub(hn::BitCast(bits, angle), hn::Set(bits, std::uint64_t{1})));
  return hn::IfThenElse(hn::Eq(angle, hn::Zero(d)), angle, below);
}

/// Lanes(Wide()) angles.
HWY_INLINE void factors_of(const float* angles, float* cos, float* sin) {
  const Wide d;
  const Narrow narrow;
  const auto angle = hn::PromoteTo(d, hn::LoadU(narrow, angles));
  const auto size = hn::Abs(angle);
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Lt(size, hn::Set(d, 0x1p20))))) {  // NaN too
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      cos[i] = float16_to_float(ops::cos_float16(angles[i]));
      sin[i] = float16_to_float(ops::sin_float16(angles[i]));
    }
    return;
  }
  const CosSin<Wide> exact = cos_sin(d, angle);
  const auto sine = hn::IfThenElse(hn::Lt(size, hn::Set(d, 0x1p-11)), sine_of_small(d, angle), exact.sin);
  hn::StoreU(round_to_float16(narrow, to_odd_float(d, exact.cos)), narrow, cos);
  hn::StoreU(round_to_float16(narrow, to_odd_float(d, sine)), narrow, sin);
}

}  // namespace HWY_NAMESPACE
}  // namespace wgk::cpu
HWY_AFTER_NAMESPACE();

#endif
