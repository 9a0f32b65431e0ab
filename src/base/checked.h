// Integer arithmetic that reports overflow instead of wrapping.
#pragma once

#include <concepts>
#include <limits>
#include <optional>

namespace wgk::base {

template <std::unsigned_integral T>
constexpr std::optional<T> checked_mul(T a, T b) {
  if (a != 0 && b > std::numeric_limits<T>::max() / a) return std::nullopt;
  return static_cast<T>(a * b);
}

template <std::unsigned_integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  if (b > std::numeric_limits<T>::max() - a) return std::nullopt;
  return static_cast<T>(a + b);
}

}  // namespace wgk::base
