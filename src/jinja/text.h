// White space, characters and numbers in UTF-8 text, as the language sees them. Safe on any bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace wgk::jinja {

/// Bytes of the white-space character beyond ASCII that `text` starts with; 0 if there is none.
std::size_t leading_wide_space(std::string_view text);
/// Bytes of the white-space character (ECMAScript's \s) that `text` starts with; 0 if there is none.
inline std::size_t leading_space(std::string_view text) {
  if (text.empty()) return 0;
  const char c = text[0];
  if (static_cast<unsigned char>(c) >= 0x80) return leading_wide_space(text);
  return c == ' ' || (c >= '\t' && c <= '\r') ? 1 : 0;
}
/// Bytes of the white-space character that `text` ends with; 0 if there is none.
std::size_t trailing_space(std::string_view text);
/// `text` without white space at both ends.
std::string_view trim(std::string_view text);

/// Bytes of the character at `text[at]`; 1 for a byte that is not valid UTF-8 there.
std::size_t character_bytes(std::string_view text, std::size_t at);
/// Length in UTF-16 code units, which is what the language counts; an invalid byte counts as one.
std::size_t utf16_length(std::string_view text);
bool is_ascii(std::string_view text);
bool is_valid_utf8(std::string_view text);
/// Appends a code point up to U+10FFFF.
void append_utf8(char32_t code_point, std::string& out);

/// ASCII letters only, so that the result depends on nothing but the text.
std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);

/// The longest decimal number (sign, digits, point, exponent, "Infinity") at the start of `text`, and its length.
struct NumberPrefix {
  double value = 0;
  std::size_t length = 0;
};
std::optional<NumberPrefix> number_prefix(std::string_view text);
/// The longest integer (sign, digits) at the start of `text`.
std::optional<double> integer_prefix(std::string_view text);
/// Digits with an optional point, as a literal of the language has them.
double decimal_value(std::string_view digits);

}  // namespace wgk::jinja
