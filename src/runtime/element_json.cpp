// Conversion of JSON numbers to elements: exact for integers, one rounding for floats, never silent about a loss.
#include "runtime/element_json.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace wgk::runtime {
namespace {

using base::Json;
using Problem = std::optional<std::string>;

constexpr double kTwoTo53 = 9007199254740992.0;

template <typename T>
void store(T value, std::byte* out) {
  std::memcpy(out, &value, sizeof value);
}

/// The value as a message shows it, cut so that a hostile one cannot flood the terminal.
std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

/// An integer of JSON, whichever way it is spelled.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

std::optional<Integer> integer_from_text(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return Integer{negative, magnitude};
}

std::optional<Integer> integer_from_double(double value) {
  // Above 2^53 a double no longer tells neighbouring integers apart, so the text may have meant another one.
  if (!(std::abs(value) <= kTwoTo53) || value != std::floor(value)) return std::nullopt;
  return Integer{value < 0, static_cast<std::uint64_t>(std::abs(value))};
}

std::optional<Integer> integer_of(const Json& value) {
  if (value.is_number_unsigned()) return Integer{false, value.get<std::uint64_t>()};
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    return Integer{number < 0,
                   number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number)};
  }
  if (value.is_number_float()) return integer_from_double(value.get<double>());
  if (value.is_string()) return integer_from_text(value.get_ref<const std::string&>());
  return std::nullopt;
}

template <typename T>
Problem write_integer(const Json& value, DType dtype, std::byte* out) {
  const auto integer = integer_of(value);
  if (!integer) {
    if (value.is_number_float() && std::abs(value.get<double>()) > kTwoTo53) {
      return fmt::format("{} must be an integer that {} can hold, written without exponent or fraction", shown(value),
                         dtype_name(dtype));
    }
    return fmt::format("{} must be an integer", shown(value));
  }
  const auto max = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  const std::uint64_t limit = integer->negative ? (std::is_signed_v<T> ? max + 1 : 0) : max;
  if (integer->magnitude > limit) return fmt::format("{} is outside the range of {}", shown(value), dtype_name(dtype));
  const std::uint64_t wrapped = integer->negative ? 0 - integer->magnitude : integer->magnitude;
  store(static_cast<T>(wrapped), out);
  return std::nullopt;
}

std::optional<double> special_from_text(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<double> double_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return special_from_text(value.get_ref<const std::string&>());
  return std::nullopt;
}

/// Rounds to float by "round to odd", so that a second rounding to binary16 gives the once-rounded result.
float to_odd_float(double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value || std::isinf(nearest)) return nearest;
  float toward_zero = nearest;
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) toward_zero = std::nextafterf(nearest, 0.0F);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &toward_zero, sizeof bits);
  bits |= 1U;
  std::memcpy(&toward_zero, &bits, sizeof bits);
  return toward_zero;
}

Problem write_float(const Json& value, DType dtype, std::byte* out) {
  const auto number = double_of(value);
  if (!number) return fmt::format("{} must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"", shown(value));
  bool overflow = false;
  if (dtype == DType::kFloat32) {
    const auto rounded = static_cast<float>(*number);
    overflow = std::isinf(rounded) && !std::isinf(*number);
    store(rounded, out);
  } else {
    const Float16 rounded = float_to_float16(to_odd_float(*number));
    overflow = (rounded.bits & 0x7fffU) == 0x7c00U && !std::isinf(*number);
    store(rounded.bits, out);
  }
  if (overflow)
    return fmt::format("{} is outside the range of {}; write \"Infinity\" if that is meant", shown(value),
                       dtype_name(dtype));
  return std::nullopt;
}

template <typename T>
Problem write_word(const Json& value, std::byte* out) {
  const auto integer = value.is_number() ? integer_of(value) : std::nullopt;
  if (!integer || integer->negative || integer->magnitude > std::numeric_limits<T>::max()) {
    return fmt::format("{} must be an unsigned word of {} bits", shown(value), sizeof(T) * 8);
  }
  store(static_cast<T>(integer->magnitude), out);
  return std::nullopt;
}

}  // namespace

Problem write_element(const Json& value, DType dtype, std::byte* out) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kFloat16:
      return write_float(value, dtype, out);
    case DType::kInt8:
      return write_integer<std::int8_t>(value, dtype, out);
    case DType::kInt16:
      return write_integer<std::int16_t>(value, dtype, out);
    case DType::kInt32:
      return write_integer<std::int32_t>(value, dtype, out);
    case DType::kInt64:
      return write_integer<std::int64_t>(value, dtype, out);
    case DType::kUint8:
      return write_integer<std::uint8_t>(value, dtype, out);
    case DType::kUint32:
      return write_integer<std::uint32_t>(value, dtype, out);
    case DType::kBool:
      break;
  }
  if (value.is_boolean()) {
    *out = value.get<bool>() ? std::byte{1} : std::byte{0};
    return std::nullopt;
  }
  std::byte byte{};
  if (auto problem = write_integer<std::uint8_t>(value, dtype, &byte); problem || byte > std::byte{1}) {
    return fmt::format("{} must be true, false, 0 or 1", shown(value));
  }
  *out = byte;
  return std::nullopt;
}

Problem write_element_bits(const Json& value, DType dtype, std::byte* out) {
  switch (dtype_size(dtype)) {
    case 1:
      return write_word<std::uint8_t>(value, out);
    case 2:
      return write_word<std::uint16_t>(value, out);
    case 4:
      return write_word<std::uint32_t>(value, out);
    default:
      return write_word<std::uint64_t>(value, out);
  }
}

}  // namespace wgk::runtime
