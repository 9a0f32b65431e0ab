// Names and sizes of dtypes, and facts about shapes.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <wgk/limits.hpp>
#include <wgk/tensor.hpp>

#include "base/checked.h"

namespace wgk::inline v0 {
namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  std::size_t size;
};

/// In the order of the enumerators, so that a dtype is its own index.
constexpr std::array<DTypeFacts, 9> kDTypes = {{
    {DType::kFloat32, "float32", 4},
    {DType::kFloat16, "float16", 2},
    {DType::kInt8, "int8", 1},
    {DType::kInt16, "int16", 2},
    {DType::kInt32, "int32", 4},
    {DType::kInt64, "int64", 8},
    {DType::kUint8, "uint8", 1},
    {DType::kUint32, "uint32", 4},
    {DType::kBool, "bool", 1},
}};

constexpr bool in_enumerator_order() {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (static_cast<std::size_t>(kDTypes[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_enumerator_order());

/// The largest integer up to which doubles, in which manifests compute, hold every integer.

}  // namespace

std::string_view dtype_name(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  return index < kDTypes.size() ? kDTypes[index].name : "unknown";
}

std::optional<DType> dtype_from_name(std::string_view name) {
  const auto found = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeFacts& f) { return f.name == name; });
  if (found == kDTypes.end()) return std::nullopt;
  return found->dtype;
}

std::size_t dtype_size(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  return index < kDTypes.size() ? kDTypes[index].size : 0;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

std::optional<std::int64_t> element_count(const Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t dimension) { return dimension < 0; })) {
    return std::nullopt;
  }
  // A zero anywhere makes the product zero, even where the other dimensions alone would overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::int64_t dimension : shape) {
    const auto product = base::checked_mul(count, static_cast<std::uint64_t>(dimension));
    if (!product || *product > limits::kMaxElements) return std::nullopt;
    count = *product;
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace wgk::inline v0
