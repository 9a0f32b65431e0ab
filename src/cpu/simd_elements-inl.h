// Loading elements of tensors as float32 vectors and storing them with one rounding, to nearest, ties to even. Included
// once for every instruction set (Highway's convention), hence the unusual guard.
#include <cstdint>
#include <hwy/highway.h>

#include "ops/rotary.h"

#if defined(WGK_CPU_SIMD_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WGK_CPU_SIMD_ELEMENTS_INL_H
#undef WGK_CPU_SIMD_ELEMENTS_INL_H
#else
#define WGK_CPU_SIMD_ELEMENTS_INL_H
#endif

// The conversion instructions of these targets round as we need; Highway's emulation for the others truncates.
#undef WGK_CPU_NATIVE_FLOAT16
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
#define WGK_CPU_NATIVE_FLOAT16 0
#elif (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)) || HWY_ARCH_ARM_A64
#define WGK_CPU_NATIVE_FLOAT16 1
#else
#define WGK_CPU_NATIVE_FLOAT16 0
#endif

HWY_BEFORE_NAMESPACE();
namespace wgk::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Calculations give NaNs of many kinds, depending on instruction and operand order. Results have this one.
template <class D>
HWY_INLINE hn::Vec<D> with_one_nan(D d, hn::Vec<D> v) {
  const auto quiet_nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7fc00000u));
  return hn::IfThenElse(hn::IsNaN(v), quiet_nan, v);
}

template <class D>
using Halves = hn::Vec<hn::Rebind<std::uint16_t, D>>;

/// The bits of 16-bit elements in the low halves of 32-bit lanes.
template <class D>
HWY_INLINE auto widen_bits(D d, Halves<D> halves) {
  (void)d;
  return hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), halves);
}

template <class D, class Words>
HWY_INLINE Halves<D> narrow_bits(D d, Words words) {
  (void)d;
  return hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), hn::BitCast(hn::Rebind<std::int32_t, D>(), words));
}

template <class D>
HWY_INLINE hn::Vec<D> from_float16(D d, Halves<D> halves) {
#if WGK_CPU_NATIVE_FLOAT16
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), halves));
#else
  const hn::RebindToUnsigned<D> du;
  const auto word = widen_bits(d, halves);
  const auto magnitude = hn::ShiftLeft<13>(hn::And(word, hn::Set(du, 0x7fffu)));
  const auto sign = hn::ShiftLeft<16>(hn::And(word, hn::Set(du, 0x8000u)));
  // Normal: another bias. Infinity and NaN: the largest exponent. Subnormal: as 2^-14 + magnitude, minus 2^-14.
  const auto bias = hn::Set(du, 112u << 23);
  const auto normal = hn::Add(magnitude, bias);
  const auto special = hn::Add(normal, bias);
  const auto smallest = hn::Set(du, 113u << 23);
  const auto subnormal =
      hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Add(magnitude, smallest)), hn::BitCast(d, smallest)));
  const auto is_special =
      hn::Gt(hn::BitCast(hn::RebindToSigned<D>(), magnitude), hn::Set(hn::RebindToSigned<D>(), (0x7c00 << 13) - 1));
  const auto is_subnormal =
      hn::Lt(hn::BitCast(hn::RebindToSigned<D>(), magnitude), hn::Set(hn::RebindToSigned<D>(), 0x400 << 13));
  const auto finite = hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
  return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(hn::RebindMask(du, is_special), special, finite)));
#endif
}

template <class D>
HWY_INLINE Halves<D> to_float16(D d, hn::Vec<D> v) {
  v = with_one_nan(d, v);
#if WGK_CPU_NATIVE_FLOAT16
  return hn::BitCast(hn::Rebind<std::uint16_t, D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000u));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
  // Normal: add just under half a step, or half a step where the last bit kept is odd; a carry may reach infinity.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
  const auto rounded = hn::Add(magnitude, hn::Add(odd, hn::Set(du, 0xfffu - (112u << 23))));
  const auto normal = hn::ShiftRight<13>(rounded);
  // Subnormal: the steps of 0.5 are those of the result, so that adding it rounds.
  const auto half = hn::Set(du, 0x3f000000u);
  const auto subnormal = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, half))), half);
  const auto ordered = hn::BitCast(di, magnitude);
  const auto is_subnormal = hn::Lt(ordered, hn::Set(di, 0x38800000));
  const auto is_large = hn::Gt(ordered, hn::Set(di, 0x477fffff));
  const auto is_nan = hn::Gt(ordered, hn::Set(di, 0x7f800000));
  const auto finite = hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
  const auto infinity_or_nan = hn::IfThenElse(hn::RebindMask(du, is_nan), hn::Set(du, 0x7e00u), hn::Set(du, 0x7c00u));
  return narrow_bits(d, hn::Or(sign, hn::IfThenElse(hn::RebindMask(du, is_large), infinity_or_nan, finite)));
#endif
}

/// Rounded to float16 and back.
template <class D>
HWY_INLINE hn::Vec<D> round_to_float16(D d, hn::Vec<D> v) {
  return from_float16(d, to_float16(d, v));
}

template <class D>
HWY_INLINE hn::Vec<D> round_to_bfloat16(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, with_one_nan(d, v));
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu)));  // a NaN from above survives this
  return hn::BitCast(d, hn::And(rounded, hn::Set(du, 0xffff0000u)));
}

/// Elements in memory: load(), store(), and rounded(), which is what a store and a load make of a value. N elements are
/// touched for a vector of N lanes.
template <ops::RotaryElement kElement>
struct Elements;

template <>
struct Elements<ops::RotaryElement::kFloat32> {
  using Bits = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const float* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, float* to) {
    hn::StoreU(with_one_nan(d, v), d, to);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D d, hn::Vec<D> v) {
    (void)d;
    return v;
  }
};

template <>
struct Elements<ops::RotaryElement::kFloat16> {
  using Bits = std::uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::uint16_t* from) {
    return from_float16(d, hn::LoadU(hn::Rebind<std::uint16_t, D>(), from));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, std::uint16_t* to) {
    hn::StoreU(to_float16(d, v), hn::Rebind<std::uint16_t, D>(), to);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D d, hn::Vec<D> v) {
    return round_to_float16(d, v);
  }
};

template <>
struct Elements<ops::RotaryElement::kBfloat16> {
  using Bits = std::uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const std::uint16_t* from) {
    const auto words = widen_bits(d, hn::LoadU(hn::Rebind<std::uint16_t, D>(), from));
    return hn::BitCast(d, hn::ShiftLeft<16>(words));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> v, std::uint16_t* to) {
    const auto words = hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<D>(), round_to_bfloat16(d, v)));
    hn::StoreU(narrow_bits(d, words), hn::Rebind<std::uint16_t, D>(), to);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D d, hn::Vec<D> v) {
    return round_to_bfloat16(d, v);
  }
};

/// Calls step(d, i) so that [0, count) is covered, with the longest vectors that fit. The last vector of a length may
/// cover elements again, so step must not read what it writes. Where count is even, every i is.
template <class Step>
HWY_INLINE void for_vectors(std::size_t count, const Step& step) {
  const auto cover = [&](auto d) HWY_ATTR {
    const std::size_t lanes = hn::Lanes(d);
    if (count < lanes) return false;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) step(d, i);
    if (i < count) step(d, count - lanes);
    return true;
  };
  if (cover(hn::ScalableTag<float>())) return;
  if (cover(hn::CappedTag<float, 4>())) return;
  if (cover(hn::CappedTag<float, 2>())) return;
  cover(hn::CappedTag<float, 1>());
}

}  // namespace HWY_NAMESPACE
}  // namespace wgk::cpu
HWY_AFTER_NAMESPACE();

#endif
