// Text utilities; see text.h.
#include "jinja/text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

namespace wgk::jinja {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

bool is_wide_space(char32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

struct Decoded {
  char32_t code_point;
  std::size_t bytes;
};

/// The well-formed character at the start of `text`, or nothing.
std::optional<Decoded> decode(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return Decoded{lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return std::nullopt;
  char32_t code_point = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return std::nullopt;
    code_point = (code_point << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kSmallest[bytes] || code_point > 0x10FFFF || surrogate) return std::nullopt;
  return Decoded{code_point, bytes};
}

/// Rounds a decimal number correctly; what is too large becomes Infinity and what is too small 0.
double to_double(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (parsed.ec != std::errc::result_out_of_range) return value;
  // from_chars does not say which end was left. Without an exponent only a large number can be out of range, except
  // for a long row of zeros after the point; with one, its sign decides.
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    const std::string_view mantissa = text.substr(0, exponent);
    if (mantissa.find_first_not_of("0.") == std::string_view::npos) return 0;
    return text[exponent + 1] == '-' ? 0 : std::numeric_limits<double>::infinity();
  }
  const std::string_view whole = text.substr(0, text.find('.'));
  return whole.find_first_not_of('0') == std::string_view::npos ? 0 : std::numeric_limits<double>::infinity();
}

std::size_t count_digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - from;
}

}  // namespace

std::size_t leading_wide_space(std::string_view text) {
  const auto decoded = decode(text);
  return decoded && is_wide_space(decoded->code_point) ? decoded->bytes : 0;
}

std::size_t trailing_space(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t start = text.size() - 1;
  while (start > 0 && text.size() - start < 4 && is_continuation(text[start])) --start;
  const std::size_t bytes = leading_space(text.substr(start));
  return start + bytes == text.size() ? bytes : 0;
}

std::string_view trim(std::string_view text) {
  while (const std::size_t bytes = leading_space(text)) text.remove_prefix(bytes);
  while (const std::size_t bytes = trailing_space(text)) text.remove_suffix(bytes);
  return text;
}

std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto decoded = decode(text.substr(at));
  return decoded ? decoded->bytes : 1;
}

std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = static_cast<unsigned char>(text[at]) < 0x80 ? 1 : character_bytes(text, at);
    length += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return length;
}

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t eight = ~std::uint64_t{0};
    if (text.size() - at >= sizeof eight) std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080) == 0) {  // ASCII, as most text is
      at += sizeof eight;
      continue;
    }
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const auto decoded = decode(text.substr(at));
    if (!decoded) return false;
    at += decoded->bytes;
  }
  return true;
}

void append_utf8(char32_t c, std::string& out) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<NumberPrefix> number_prefix(std::string_view text) {
  std::size_t at = 0;
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    at = 1;
  }
  constexpr std::string_view kInfinity = "Infinity";
  if (text.substr(at).starts_with(kInfinity)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return NumberPrefix{negative ? -infinity : infinity, at + kInfinity.size()};
  }
  const std::size_t begin = at;
  const std::size_t whole = count_digits(text, at);
  at += whole;
  std::size_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    fraction = count_digits(text, at + 1);
    if (whole + fraction > 0) at += 1 + fraction;
  }
  if (whole + fraction == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t digits = count_digits(text, exponent);
    if (digits > 0) at = exponent + digits;
  }
  const double value = to_double(text.substr(begin, at - begin));
  return NumberPrefix{negative ? -value : value, at};
}

std::optional<double> integer_prefix(std::string_view text) {
  std::size_t at = 0;
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    at = 1;
  }
  const std::size_t digits = count_digits(text, at);
  if (digits == 0) return std::nullopt;
  const double value = to_double(text.substr(at, digits));
  return negative ? -value : value;
}

double decimal_value(std::string_view digits) { return to_double(digits); }

}  // namespace wgk::jinja
