// The arithmetic of a rotation for each pair of element types that a call may have.
#pragma once

#include <span>
#include <type_traits>

#include "ops/bfloat16.h"
#include "ops/rotary.h"

namespace wgk::ops {

inline float to_float(float value) { return value; }
inline float to_float(Float16 value) { return float16_to_float(value); }
inline float to_float(Bfloat16 value) { return bfloat16_to_float(value); }

template <typename T>
T from_float(float value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return float_to_float16(value);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return float_to_bfloat16(value);
  } else {
    return value;
  }
}

/// Elements of type X, caches of type C, computed in W. The published contract rounds a sum of 16-bit elements to
/// float32 and then to 16 bits; with a cache of the same type the products are exact in float32, so float is the right
/// W there and double would be wrong.
template <typename X, typename C, typename W>
struct RotaryMath {
  using Storage = X;
  using Cache = C;
  using Wide = W;
  static Wide widen(X value) { return static_cast<Wide>(to_float(value)); }
  static Wide widen_factor(C value) { return static_cast<Wide>(to_float(value)); }
  static X narrow(Wide value) { return from_float<X>(static_cast<float>(value)); }
  static C scaled(C value, float scale) { return from_float<C>(to_float(value) * scale); }
};

/// Products are exact in double.
using Float32Math = RotaryMath<float, float, double>;
using Float16Math = RotaryMath<Float16, Float16, float>;
using Bfloat16Math = RotaryMath<Bfloat16, Bfloat16, float>;
/// Products of 16-bit elements and float32 factors are exact in double only.
template <typename X>
using MixedMath = RotaryMath<X, float, double>;

/// Calls visit with the arithmetic of the call: visit(Math{}).
template <typename Visit>
void with_math(const RotaryCall& call, Visit visit) {
  const bool mixed = call.cache_element != call.element;
  switch (call.element) {
    case RotaryElement::kFloat32:
      return visit(Float32Math{});
    case RotaryElement::kFloat16:
      return mixed ? visit(MixedMath<Float16>{}) : visit(Float16Math{});
    case RotaryElement::kBfloat16:
      return mixed ? visit(MixedMath<Bfloat16>{}) : visit(Bfloat16Math{});
  }
}

/// The elements of a tensor as T: those of its dtype, or the bfloat16 halves of its words. A last half word that pads
/// an odd count is included.
template <typename T>
std::span<const T> elements_of(const HostTensor& tensor) {
  if constexpr (std::is_same_v<T, Bfloat16>) {
    return {reinterpret_cast<const Bfloat16*>(tensor.data.data()), tensor.data.size() / sizeof(Bfloat16)};
  } else {
    return tensor.as<T>();
  }
}

}  // namespace wgk::ops
