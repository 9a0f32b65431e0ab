// Products are rounded to float16 before they are added, as the contract of the operator wants.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gemma_kernels.cpp"
#include "cpu/gemma_kernels.h"

#include <algorithm>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "cpu/simd_elements-inl.h"
#include "cpu/simd_trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wgk::cpu {
namespace HWY_NAMESPACE {

void compute_factors(const float* angles, std::size_t count, float* cos, float* sin) {
  const std::size_t lanes = hn::Lanes(Wide());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) factors_of(angles + i, cos + i, sin + i);
  if (i == count) return;
  // The rest through a vector of its own, so that nothing beyond the arrays is touched.
  HWY_ALIGN float padded[3][hn::MaxLanes(Wide())] = {};
  std::copy(angles + i, angles + count, padded[0]);
  factors_of(padded[0], padded[1], padded[2]);
  std::copy(padded[1], padded[1] + (count - i), cos + i);
  std::copy(padded[2], padded[2] + (count - i), sin + i);
}

void rotate_values(const std::uint16_t* value, const std::uint16_t* rotated, const float* cos, const float* sin,
                   std::size_t count, std::uint16_t* out) {
  using Float16s = Elements<ops::RotaryElement::kFloat16>;
  for_vectors(count, [&](auto d, std::size_t i) HWY_ATTR {
    // A product of two float16 numbers is exact in float32, and a sum of two rounds correctly through it.
    const auto a = round_to_float16(d, hn::Mul(Float16s::load(d, value + i), hn::LoadU(d, cos + i)));
    const auto b = round_to_float16(d, hn::Mul(Float16s::load(d, rotated + i), hn::LoadU(d, sin + i)));
    Float16s::store(d, hn::Add(a, b), out + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace wgk::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wgk::cpu {

HWY_EXPORT(compute_factors);
HWY_EXPORT(rotate_values);

void gemma_factors(const float* angles, std::size_t count, float* cos, float* sin) {
  HWY_DYNAMIC_DISPATCH(compute_factors)(angles, count, cos, sin);
}

void gemma_rotate(const std::uint16_t* value, const std::uint16_t* rotated, const float* cos, const float* sin,
                  std::size_t count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(rotate_values)(value, rotated, cos, sin, count, out);
}

}  // namespace wgk::cpu
#endif
