// Counting what one evaluation uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <wgk/limits.hpp>

namespace wgk::jinja {

/// Counts evaluation steps down. One per prepare for expressions, one per template render.
class Budget {
 public:
  explicit Budget(std::uint64_t steps = limits::kMaxEvaluationSteps) : left_(steps) {}

  /// Takes `steps`; false when they are spent. Once false, always false.
  bool spend(std::uint64_t steps = 1) {
    if (steps > left_) {
      left_ = 0;
      return false;
    }
    left_ -= steps;
    return true;
  }
  std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

}  // namespace wgk::jinja
