// Lexer of expressions; see lexer.h.
#include "jinja/lexer.h"

#include <fmt/format.h>

#include "jinja/text.h"

namespace wgk::jinja {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Bytes of the longest punctuation that `text` starts with; 0 if there is none.
std::size_t punctuation_bytes(std::string_view text) {
  const char next = text.size() > 1 ? text[1] : '\0';
  switch (text[0]) {
    case '<':
    case '>':
    case '=':
      return next == '=' ? 2 : 1;
    case '!':
      return next == '=' ? 2 : 0;
    case '*':
    case '/':
      return next == text[0] ? 2 : 1;
    case '(':
    case ')':
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case '.':
    case ':':
    case '|':
    case '+':
    case '-':
    case '~':
    case '%':
      return 1;
    default:
      return 0;
  }
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Reads `digits` hexadecimal digits at `at`; -1 if they are not there.
int read_hex(std::string_view text, std::size_t at, std::size_t digits) {
  if (text.size() < at + digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int digit = hex_value(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool is_high_surrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

constexpr int kNotAnEscape = -1;

int simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '\'':
    case '"':
    case '\\':
      return c;
    default:
      return kNotAnEscape;
  }
}

}  // namespace

Token Lexer::make(TokenType type, std::size_t begin, std::size_t length) {
  at_ = begin + length;
  return {type, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_), text_.substr(begin, length)};
}

Token Lexer::fail(std::size_t at, std::string reason) {
  reason_ = std::move(reason);
  Token token = make(TokenType::kError, at, 0);
  return token;
}

Token Lexer::next() {
  while (const std::size_t bytes = leading_space(text_.substr(at_))) at_ += bytes;
  const bool after_dot = after_dot_;
  after_dot_ = false;
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return make(TokenType::kEnd, at_, 0);
  if (mode_ != Mode::kExpression) {
    if (rest.starts_with("-%}")) return make(TokenType::kCloseStatement, at_, 3);
    if (rest.starts_with("-}}")) return make(TokenType::kCloseOutput, at_, 3);
    if (rest.starts_with("%}")) return make(TokenType::kCloseStatement, at_, 2);
    if (rest.starts_with("}}") && braces_ == 0) return make(TokenType::kCloseOutput, at_, 2);
  }
  const char c = rest[0];
  if (c == '\'' || c == '"') return quoted(c);
  if (is_digit(c)) {
    after_dot_ = after_dot;
    return number();
  }
  if (is_word(c)) {
    std::size_t length = 1;
    while (length < rest.size() && is_word(rest[length])) ++length;
    return make(TokenType::kName, at_, length);
  }
  if (const std::size_t bytes = punctuation_bytes(rest)) {
    if (c == '{') ++braces_;
    if (c == '}' && braces_ > 0) --braces_;
    after_dot_ = c == '.';
    return make(TokenType::kPunctuation, at_, bytes);
  }
  return fail(at_, fmt::format("Unexpected character: {}", rest.substr(0, character_bytes(rest, 0))));
}

Token Lexer::number() {
  const bool index_only = after_dot_;
  after_dot_ = false;
  std::size_t end = at_;
  const auto skip_digits = [this, &end] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  skip_digits();
  if (!index_only && end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
    ++end;
    skip_digits();
  }
  return make(TokenType::kNumber, at_, end - at_);
}

Token Lexer::quoted(char quote) {
  const std::size_t begin = at_;
  std::size_t end = begin + 1;
  while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size()) return fail(begin, "unterminated string");
  Token token = make(TokenType::kString, begin + 1, end - begin - 1);
  token.offset = static_cast<std::uint32_t>(begin);
  token.end = static_cast<std::uint32_t>(end + 1);
  at_ = end + 1;
  return token;
}

bool unescape(std::string_view raw, std::string& out, std::size_t& bad_offset, std::string& reason) {
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] != '\\') {
      out += raw[at];
      continue;
    }
    bad_offset = at;
    ++at;
    const char kind = raw[at];
    if (kind != 'x' && kind != 'u') {
      const int value = simple_escape(kind);
      if (value == kNotAnEscape) {
        reason = fmt::format("Unexpected escaped character: {}", raw.substr(at, character_bytes(raw, at)));
        return false;
      }
      out += static_cast<char>(value);
      continue;
    }
    const std::size_t digits = kind == 'x' ? 2 : 4;
    int unit = read_hex(raw, at + 1, digits);
    if (unit < 0) {
      reason = fmt::format("Invalid hexadecimal escape sequence: \\{}", raw.substr(at, digits + 1));
      return false;
    }
    at += digits;
    if (is_high_surrogate(unit) && raw.substr(at + 1).starts_with("\\u")) {
      const int low = read_hex(raw, at + 3, 4);
      if (is_low_surrogate(low)) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        at += 6;
      }
    }
    if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
      reason = fmt::format("escape of half a surrogate pair: \\u{:04x}", unit);
      return false;
    }
    append_utf8(static_cast<char32_t>(unit), out);
  }
  return true;
}

}  // namespace wgk::jinja
