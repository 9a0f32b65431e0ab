// Position ids as 64-bit integers, whether they come as int64 or in their uint32 storage form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <wgk/tensor.hpp>

namespace wgk::ops {

class Positions {
 public:
  explicit Positions(const HostTensor& tensor)
      : wide_(tensor.as<std::int64_t>()), narrow_(tensor.as<std::uint32_t>()) {}

  std::int64_t at(std::size_t index) const { return wide_.empty() ? std::int64_t{narrow_[index]} : wide_[index]; }

  /// Index of the first value outside [0, limit).
  std::optional<std::size_t> first_outside(std::int64_t limit) const {
    const std::size_t count = wide_.empty() ? narrow_.size() : wide_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (at(i) < 0 || at(i) >= limit) return i;
    }
    return std::nullopt;
  }

 private:
  std::span<const std::int64_t> wide_;
  std::span<const std::uint32_t> narrow_;
};

}  // namespace wgk::ops
