// Bounds how deep a shader nests, in one pass over its text.
#include "gpu/shader_guard.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/try.h"
#include "gpu/wgsl_cursor.h"

namespace wgk::gpu {
namespace {

constexpr std::string_view kDeclarations[] = {"alias", "const", "const_assert", "fn", "override", "struct", "var"};

class Guard {
 public:
  explicit Guard(std::string_view wgsl) : text_(wgsl), cursor_(wgsl) {}

  Status run() {
    for (cursor_.skip_blank(); cursor_.offset() < text_.size(); cursor_.skip_blank()) {
      const std::string_view word = cursor_.word();
      WGK_CHECK(word.empty() ? punctuation() : count_word(word));
    }
    return {};
  }

 private:
  /// Between an opening bracket and its end: what the innermost expression or statement has piled up so far.
  struct Level {
    std::uint32_t operators = 0;
    std::uint32_t else_branches = 0;
  };

  Status count_word(std::string_view word) {
    after_number_ = word.front() >= '0' && word.front() <= '9';
    const bool declares = levels_.size() == 1 && std::find(std::begin(kDeclarations), std::end(kDeclarations), word) !=
                                                     std::end(kDeclarations);
    if (!declares || ++declarations_ <= limits::kMaxShaderDeclarations) return {};
    return fail("has more than {} declarations", limits::kMaxShaderDeclarations);
  }

  Status punctuation() {
    const char c = text_[cursor_.offset()];
    cursor_.seek(cursor_.offset() + 1);
    const bool after_number = after_number_;
    after_number_ = false;
    switch (c) {
      case '(':
      case '[':
        WGK_CHECK(count_operator());
        return open();
      case '{':
        return open();
      case ')':
      case ']':
        close();
        return {};
      case '}':
        close();
        end_expression();
        return count_else();
      case ',':
      case ';':
        end_expression();
        return {};
      case '.':
        return after_number ? Status{} : count_operator();
      default:
        return count_operator();
    }
  }

  Status open() {
    if (levels_.size() > limits::kMaxShaderNesting)
      return fail("nests more than {} levels deep", limits::kMaxShaderNesting);
    levels_.emplace_back();
    return {};
  }

  void close() {
    if (levels_.size() == 1) return;  // a bracket too many: the compiler will say so
    pending_ -= levels_.back().operators + levels_.back().else_branches;
    levels_.pop_back();
  }

  void end_expression() {
    pending_ -= levels_.back().operators;
    levels_.back().operators = 0;
  }

  /// Behind a block: each `else` lies inside the one before it.
  Status count_else() {
    Level& level = levels_.back();
    cursor_.skip_blank();
    if (cursor_.starts_with("else")) {
      ++level.else_branches;
      ++pending_;
    } else {
      pending_ -= level.else_branches;
      level.else_branches = 0;
    }
    return check_pending();
  }

  Status count_operator() {
    ++levels_.back().operators;
    ++pending_;
    return check_pending();
  }

  Status check_pending() const {
    if (pending_ <= limits::kMaxShaderOperators) return {};
    return fail("has more than {} operators or branches in one statement", limits::kMaxShaderOperators);
  }

  Error fail(std::string_view what, std::uint64_t limit) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(cursor_.offset()), '\n');
    return Error{ErrorCode::kPackage,
                 fmt::format("the shader {} (line {})", fmt::format(fmt::runtime(what), limit), lines + 1)};
  }

  std::string_view text_;
  Cursor cursor_;
  std::vector<Level> levels_{1};
  std::uint64_t pending_ = 0;  ///< of all levels that are open
  std::uint64_t declarations_ = 0;
  bool after_number_ = false;
};

}  // namespace

Status check_shader_nesting(std::string_view wgsl) { return Guard(wgsl).run(); }

}  // namespace wgk::gpu
