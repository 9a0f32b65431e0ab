// Number::toString of ECMAScript on top of std::to_chars, which gives the shortest digits that read back.
#include "base/js_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace wgk::base {
namespace {

struct Decimal {
  std::string digits;  ///< without a point, first digit not zero
  int point = 0;       ///< value = 0.digits * 10^point
};

Decimal shortest_decimal(double positive) {
  std::array<char, 32> buffer;  // 17 digits, point, "e-324" and sign fit with room to spare
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  Decimal decimal;
  decimal.digits = text[0];
  if (e > 2) decimal.digits += text.substr(2, e - 2);
  std::string_view exponent = text.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);  // from_chars takes no plus sign
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.point);
  decimal.point += 1;
  return decimal;
}

}  // namespace

std::string js_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (value == 0) return "0";
  // Whole numbers that a double tells apart print as themselves.
  constexpr double kLargestExact = 9007199254740992.0;
  if (std::abs(value) < kLargestExact && std::trunc(value) == value) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  if (value < 0) return "-" + js_number(-value);
  if (std::isinf(value)) return "Infinity";

  const Decimal decimal = shortest_decimal(value);
  const std::string& digits = decimal.digits;
  const int count = static_cast<int>(digits.size());
  const int point = decimal.point;
  if (point >= count && point <= 21) return digits + std::string(static_cast<std::size_t>(point - count), '0');
  if (point > 0 && point <= 21) {
    const auto integer_digits = static_cast<std::size_t>(point);
    return digits.substr(0, integer_digits) + "." + digits.substr(integer_digits);
  }
  if (point > -6 && point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;

  const std::string fraction = count > 1 ? "." + digits.substr(1) : "";
  const int exponent = point - 1;
  return digits.substr(0, 1) + fraction + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
}

}  // namespace wgk::base
