// What one evaluation may use (package-format section 17).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace wgk::jinja {

inline constexpr std::uint64_t kMaxEvaluationSteps = 1'000'000;  ///< node visits, loop turns, list items produced
inline constexpr std::size_t kMaxListItems = 100'000;
inline constexpr std::size_t kMaxStringBytes = 4u << 20;
inline constexpr std::size_t kMaxRenderedBytes = 4u << 20;
inline constexpr std::size_t kMaxExpressionBytes = 16u << 10;
inline constexpr int kMaxExpressionNesting = 128;
inline constexpr int kMaxStatementNesting = 64;
inline constexpr int kMaxMacroDepth = 64;
inline constexpr std::size_t kMaxMacroParameters = 256;
inline constexpr int kMaxIncludeDepth = 16;
inline constexpr int kMaxIncludes = 10'000;       ///< replacements in one template, however small
inline constexpr int kMaxEvaluationDepth = 1000;  ///< expressions, statements and macro calls at work together
inline constexpr std::size_t kMaxTemplateBytes = 1u << 20;  ///< of one file, and of the text after include expansion

/// Counts evaluation steps down. One per prepare for expressions, one per template render.
class Budget {
 public:
  explicit Budget(std::uint64_t steps = kMaxEvaluationSteps) : left_(steps) {}

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
