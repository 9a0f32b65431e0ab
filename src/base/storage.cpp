// Widening, narrowing and packing of tensor elements. Every loop copies through memcpy, so alignment never matters.
#include "base/storage.h"

#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace wgk::base {
namespace {

bool is_projected(const StorageFormat& format) {
  return format.logical == DType::kInt64 && format.storage != DType::kInt64;
}

template <typename To, typename From>
std::vector<std::byte> convert_elements(std::span<const std::byte> source, std::size_t count) {
  std::vector<std::byte> out(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, source.data() + i * sizeof(From), sizeof(From));
    const To to = static_cast<To>(from);
    std::memcpy(out.data() + i * sizeof(To), &to, sizeof(To));
  }
  return out;
}

std::vector<std::byte> copy_padded(std::span<const std::byte> source, std::size_t size) {
  std::vector<std::byte> out(size);
  if (!source.empty()) std::memcpy(out.data(), source.data(), source.size());
  return out;
}

template <typename Narrow>
std::optional<std::size_t> narrow(std::span<const std::byte> source, bool saturating, std::vector<std::byte>& out) {
  constexpr auto kLow = static_cast<std::int64_t>(std::numeric_limits<Narrow>::min());
  constexpr auto kHigh = static_cast<std::int64_t>(std::numeric_limits<Narrow>::max());
  constexpr std::uint32_t kNeverARow = 0xFFFFFFFF;
  std::optional<std::size_t> first_bad;
  const std::size_t count = source.size() / sizeof(std::int64_t);
  out.resize(count * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t value;
    std::memcpy(&value, source.data() + i * sizeof(value), sizeof(value));
    std::uint32_t word = static_cast<std::uint32_t>(value);
    if (value < kLow || value > kHigh) {
      word = saturating ? static_cast<std::uint32_t>(value < kLow ? kLow : kHigh) : kNeverARow;
      if (!first_bad) first_bad = i;
    }
    std::memcpy(out.data() + i * sizeof(word), &word, sizeof(word));
  }
  return first_bad;
}

Result<std::vector<std::byte>> narrow_int64(const HostTensor& tensor, const StorageFormat& format, std::string_view key,
                                            NarrowingMode mode) {
  std::vector<std::byte> out;
  const auto first_bad = format.storage == DType::kUint32 ? narrow<std::uint32_t>(tensor.data, format.saturating, out)
                                                          : narrow<std::int32_t>(tensor.data, format.saturating, out);
  if (first_bad && !format.saturating && mode == NarrowingMode::kDeclared) {
    std::int64_t value;
    std::memcpy(&value, tensor.data.data() + *first_bad * sizeof(value), sizeof(value));
    return Error{ErrorCode::kRequest,
                 fmt::format("input \"{}\": int64 value at index {} ({}) is outside the {} WebGPU storage range", key,
                             *first_bad, value, dtype_name(format.storage))};
  }
  return out;
}

}  // namespace

std::uint64_t storage_element_size(DType storage) {
  switch (storage) {
    case DType::kFloat16:
      return 2;
    case DType::kInt64:
      return 8;
    default:
      return 4;
  }
}

std::uint64_t storage_byte_length(const StorageFormat& format, std::uint64_t elements) {
  return format.packed ? (elements + 3) / 4 * 4 : elements * storage_element_size(format.storage);
}

Result<std::vector<std::byte>> to_storage(const HostTensor& tensor, const StorageFormat& format, std::string_view key,
                                          NarrowingMode mode) {
  const bool as_stored = is_projected(format) && tensor.dtype == format.storage;
  if (tensor.dtype != format.logical && !as_stored) {
    return Error{ErrorCode::kRequest, fmt::format("tensor \"{}\" has dtype {}, expected {}", key,
                                                  dtype_name(tensor.dtype), dtype_name(format.logical))};
  }
  const auto count = element_count(tensor.shape);
  if (!count || tensor.data.size() / dtype_size(tensor.dtype) != static_cast<std::uint64_t>(*count) ||
      tensor.data.size() % dtype_size(tensor.dtype) != 0) {
    return Error{ErrorCode::kRequest,
                 fmt::format("tensor \"{}\" has {} bytes of data, which does not fit {} of shape {}", key,
                             tensor.data.size(), dtype_name(tensor.dtype), to_string(tensor.shape))};
  }
  const auto elements = static_cast<std::size_t>(*count);
  if (as_stored) return tensor.data;
  if (is_projected(format)) return narrow_int64(tensor, format, key, mode);
  if (format.packed) {
    return copy_padded(tensor.data, static_cast<std::size_t>(storage_byte_length(format, elements)));
  }
  switch (tensor.dtype) {
    case DType::kInt8:
      return convert_elements<std::int32_t, std::int8_t>(tensor.data, elements);
    case DType::kInt16:
      return convert_elements<std::int32_t, std::int16_t>(tensor.data, elements);
    case DType::kUint8:
    case DType::kBool:
      return convert_elements<std::uint32_t, std::uint8_t>(tensor.data, elements);
    default:
      return tensor.data;
  }
}

Result<HostTensor> from_storage(std::span<const std::byte> bytes, const StorageFormat& format, const Shape& shape,
                                std::string_view key) {
  const auto count = element_count(shape);
  if (!count || bytes.size() < storage_byte_length(format, static_cast<std::uint64_t>(*count))) {
    return Error{ErrorCode::kRequest, fmt::format("tensor \"{}\": {} storage bytes do not hold {} of shape {}", key,
                                                  bytes.size(), dtype_name(format.logical), to_string(shape))};
  }
  const auto elements = static_cast<std::size_t>(*count);
  HostTensor tensor{format.logical, shape, {}};
  if (is_projected(format)) {
    tensor.data = format.storage == DType::kUint32 ? convert_elements<std::int64_t, std::uint32_t>(bytes, elements)
                                                   : convert_elements<std::int64_t, std::int32_t>(bytes, elements);
    return tensor;
  }
  const bool widened = !format.packed && dtype_size(format.logical) < storage_element_size(format.storage);
  if (!widened) {
    const auto data = bytes.first(elements * dtype_size(format.logical));
    tensor.data.assign(data.begin(), data.end());
  } else if (dtype_size(format.logical) == 2) {
    tensor.data = convert_elements<std::uint16_t, std::uint32_t>(bytes, elements);
  } else {
    tensor.data = convert_elements<std::uint8_t, std::uint32_t>(bytes, elements);
  }
  return tensor;
}

}  // namespace wgk::base
