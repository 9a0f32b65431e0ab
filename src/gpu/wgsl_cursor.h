// Walking over WGSL without parsing it.
#pragma once

#include <cstddef>
#include <string_view>

namespace wgk::gpu {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A cursor over WGSL that knows blank space, comments and words.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t offset() const { return at_; }
  void seek(std::size_t offset) { at_ = offset; }
  bool starts_with(std::string_view token) const { return text_.substr(at_).starts_with(token); }

  bool take(std::string_view token) {
    if (!starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_past(char c) {
    const std::size_t found = text_.find(c, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + 1;
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (starts_with("//")) {
        skip_past('\n');
      } else if (starts_with("/*")) {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

 private:
  // Block comments nest in WGSL.
  void skip_block_comment() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      if (take("/*")) {
        ++depth;
      } else if (take("*/")) {
        if (--depth == 0) return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace wgk::gpu
