// Tensors as JSON text that reads back to the same bits.
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include <wgk/request.hpp>

namespace wgk::inline v0 {
namespace {

/// The shortest decimal that reads back to the same float; "-0.0", since many readers take "-0" for an integer.
void append_float(std::string& out, float value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  } else if (value == 0) {
    out += std::signbit(value) ? "-0.0" : "0";
  } else {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    out.append(buffer, end);
  }
}

void append(std::string& out, float value) { append_float(out, value); }
void append(std::string& out, Float16 value) { append_float(out, float16_to_float(value)); }
template <typename T>
void append(std::string& out, T value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

template <typename T>
void append_elements(std::string& out, const HostTensor& tensor) {
  const std::size_t count = tensor.data.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(T), sizeof(T));
    if (i != 0) out += ',';
    append(out, value);
  }
}

void append_values(std::string& out, const HostTensor& tensor) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return append_elements<float>(out, tensor);
    case DType::kFloat16:
      return append_elements<Float16>(out, tensor);
    case DType::kInt8:
      return append_elements<std::int8_t>(out, tensor);
    case DType::kInt16:
      return append_elements<std::int16_t>(out, tensor);
    case DType::kInt32:
      return append_elements<std::int32_t>(out, tensor);
    case DType::kInt64:
      return append_elements<std::int64_t>(out, tensor);
    case DType::kUint32:
      return append_elements<std::uint32_t>(out, tensor);
    case DType::kUint8:
    case DType::kBool:
      return append_elements<std::uint8_t>(out, tensor);  // a bool keeps its byte, 0 or 1
  }
}

}  // namespace

std::string tensor_to_json(const HostTensor& tensor, bool bits) {
  std::string out = fmt::format("{{\"dtype\":\"{}\",\"shape\":[{}],\"data\":", dtype_name(tensor.dtype),
                                fmt::join(tensor.shape, ","));
  const bool is_float = tensor.dtype == DType::kFloat32 || tensor.dtype == DType::kFloat16;
  if (bits && is_float) {
    out += "{\"kind\":\"bits\",\"values\":[";
    if (tensor.dtype == DType::kFloat32) {
      append_elements<std::uint32_t>(out, tensor);
    } else {
      append_elements<std::uint16_t>(out, tensor);
    }
    out += "]}";
  } else {
    out += '[';
    append_values(out, tensor);
    out += ']';
  }
  out += '}';
  return out;
}

}  // namespace wgk::inline v0
