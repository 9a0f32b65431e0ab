// Prints the first rows and columns of a tensor, and says how much was left out.
#include "tensor_text.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wgk::cli {
namespace {

constexpr std::size_t kMaxRows = 16;
constexpr std::size_t kMaxColumns = 8;

template <typename T>
T element(const HostTensor& tensor, std::size_t index) {
  T value;
  std::memcpy(&value, tensor.data.data() + index * sizeof(T), sizeof(T));
  return value;
}

std::string element_text(const HostTensor& tensor, std::size_t index) {
  switch (tensor.dtype) {
    case DType::kFloat32:
      return fmt::format("{:.6g}", element<float>(tensor, index));
    case DType::kFloat16:
      return fmt::format("{:.4g}", float16_to_float(element<Float16>(tensor, index)));
    case DType::kInt8:
      return fmt::format("{}", element<std::int8_t>(tensor, index));
    case DType::kInt16:
      return fmt::format("{}", element<std::int16_t>(tensor, index));
    case DType::kInt32:
      return fmt::format("{}", element<std::int32_t>(tensor, index));
    case DType::kInt64:
      return fmt::format("{}", element<std::int64_t>(tensor, index));
    case DType::kUint8:
      return fmt::format("{}", element<std::uint8_t>(tensor, index));
    case DType::kUint32:
      return fmt::format("{}", element<std::uint32_t>(tensor, index));
    case DType::kBool:
      return element<std::uint8_t>(tensor, index) != 0 ? "true" : "false";
  }
  return {};
}

/// "[1,0,3]": the place of row `row` in all dimensions but the last.
std::string row_label(const Shape& shape, std::size_t row) {
  Shape index(shape.size() - 1);
  for (std::size_t d = index.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[d]);
    index[d] = static_cast<std::int64_t>(row % size);
    row /= size;
  }
  return to_string(index);
}

std::string row_text(const HostTensor& tensor, std::size_t row, std::size_t width) {
  std::string out;
  for (std::size_t column = 0; column < std::min(width, kMaxColumns); ++column) {
    out += fmt::format(" {:>12}", element_text(tensor, row * width + column));
  }
  if (width > kMaxColumns) out += fmt::format("  … {} more", width - kMaxColumns);
  return out;
}

}  // namespace

std::string tensor_text(const HostTensor& tensor) {
  const std::size_t count = tensor.data.size() / dtype_size(tensor.dtype);
  if (count == 0) return "  (no elements)\n";
  const std::size_t width = tensor.shape.empty() ? 1 : static_cast<std::size_t>(tensor.shape.back());
  const std::size_t rows = count / width;
  std::string out;
  for (std::size_t row = 0; row < std::min(rows, kMaxRows); ++row) {
    const std::string label = tensor.shape.size() < 2 ? std::string() : row_label(tensor.shape, row);
    out += fmt::format("  {:<12}{}\n", label, row_text(tensor, row, width));
  }
  if (rows > kMaxRows) out += fmt::format("  … {} more rows\n", rows - kMaxRows);
  return out;
}

}  // namespace wgk::cli
