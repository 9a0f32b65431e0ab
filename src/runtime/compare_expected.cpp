// |got - want| <= t * max(1, |want|), with NaN and infinities taken literally; integers compare exactly at t = 0.
#include "runtime/compare_expected.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace wgk::runtime {
namespace {

/// An element as a double, with its exact integer value beside it: int64 does not fit a double.
struct Number {
  double value = 0;
  std::optional<std::int64_t> integer;
};

template <typename T>
T load(const HostTensor& tensor, std::size_t index) {
  T value;
  std::memcpy(&value, tensor.data.data() + index * sizeof(T), sizeof(T));
  return value;
}

Number from_integer(std::int64_t value) { return {static_cast<double>(value), value}; }

Number number_at(const HostTensor& tensor, std::size_t index) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return {static_cast<double>(load<float>(tensor, index)), std::nullopt};
    case DType::kFloat16:
      return {static_cast<double>(float16_to_float(load<Float16>(tensor, index))), std::nullopt};
    case DType::kInt8:
      return from_integer(load<std::int8_t>(tensor, index));
    case DType::kInt16:
      return from_integer(load<std::int16_t>(tensor, index));
    case DType::kInt32:
      return from_integer(load<std::int32_t>(tensor, index));
    case DType::kInt64:
      return from_integer(load<std::int64_t>(tensor, index));
    case DType::kUint32:
      return from_integer(load<std::uint32_t>(tensor, index));
    case DType::kUint8:
    case DType::kBool:
      return from_integer(load<std::uint8_t>(tensor, index));
  }
  return {};
}

bool agrees(const Number& got, const Number& want, const package::ExpectedTensor& rule) {
  if (got.integer && want.integer && *got.integer == *want.integer) return true;
  if (got.integer && want.integer && rule.tolerance == 0) return false;
  if (std::isnan(got.value)) return std::isnan(want.value) || rule.allow_nan;
  if (std::isnan(want.value)) return false;
  if (std::isinf(got.value) || std::isinf(want.value)) return got.value == want.value;
  return std::abs(got.value - want.value) <= rule.tolerance * std::max(1.0, std::abs(want.value));
}

std::string text(const Number& number) {
  return number.integer ? std::to_string(*number.integer) : fmt::format("{:.9g}", number.value);
}

std::string compare_values(std::string_view key, const package::ExpectedTensor& want, const HostTensor& got) {
  const std::size_t count = got.data.size() / dtype_size(got.dtype);
  if (want.data->data.size() != got.data.size())
    return fmt::format("{}: {} bytes, want {}", key, got.data.size(), want.data->data.size());
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < count; ++i) {
    const Number a = number_at(got, i);
    const Number b = number_at(*want.data, i);
    if (agrees(a, b, want)) continue;
    if (wrong++ == 0) {
      first = fmt::format("{}[{}]: got {}, want {} (tolerance {})", key, i, text(a), text(b), want.tolerance);
    }
  }
  if (wrong > 1) first += fmt::format(", and {} more of {} elements", wrong - 1, count);
  return first;
}

std::string find_nan(std::string_view key, const HostTensor& got) {
  const std::size_t count = got.data.size() / dtype_size(got.dtype);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(number_at(got, i).value))
      return fmt::format("{}[{}]: got NaN, which the case does not allow", key, i);
  }
  return {};
}

}  // namespace

std::string compare_expected(std::string_view key, const package::ExpectedTensor& want, const HostTensor& got,
                             bool nan_allowed) {
  if (got.dtype != want.dtype) {
    return fmt::format("{}: dtype {}, want {}", key, dtype_name(got.dtype), dtype_name(want.dtype));
  }
  if (got.shape != want.shape) {
    return fmt::format("{}: shape {}, want {}", key, to_string(got.shape), to_string(want.shape));
  }
  if (want.data) return compare_values(key, want, got);
  return nan_allowed || want.allow_nan ? std::string() : find_nan(key, got);
}

}  // namespace wgk::runtime
