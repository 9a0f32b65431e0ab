// Dtypes, shapes and tensors in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wgk/export.hpp>

namespace wgk::inline v0 {

/// Element type of a tensor as the operator sees it ("logical dtype"). Storage on the device may differ (int8 lives in
/// 32-bit words, int64 may be projected to uint32); see docs/format-support.md.
enum class DType : std::uint8_t { kFloat32, kFloat16, kInt8, kInt16, kInt32, kInt64, kUint8, kUint32, kBool };

/// "float32", "int64", …: the spelling of manifests and requests.
WGK_API std::string_view dtype_name(DType dtype);
/// The inverse of dtype_name; nullopt for an unknown spelling.
WGK_API std::optional<DType> dtype_from_name(std::string_view name);
/// Bytes of one element in host memory: 4, 2, 1, 2, 4, 8, 1, 4, 1 in the order of the enumerators.
WGK_API std::size_t dtype_size(DType dtype);

/// Dimensions, outermost first. Rank 0 is a scalar with one element. Every dimension is >= 0.
using Shape = std::vector<std::int64_t>;

/// "[1,2,3]", the form used in messages.
WGK_API std::string to_string(const Shape& shape);

/// Number of elements; nullopt when a dimension is negative or the product exceeds 2^53 - 1.
WGK_API std::optional<std::int64_t> element_count(const Shape& shape);

/// IEEE 754 binary16, held as its bits. Conversions round to nearest, ties to even, and keep subnormals.
struct Float16 {
  std::uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};
WGK_API Float16 float_to_float16(float value);  ///< overflow gives infinity, NaN a quiet NaN
WGK_API float float16_to_float(Float16 value);  ///< exact

template <typename T>
struct DTypeOf;  ///< kValue: the dtype whose elements are T in host memory
template <> struct DTypeOf<float> { static constexpr DType kValue = DType::kFloat32; };
template <> struct DTypeOf<Float16> { static constexpr DType kValue = DType::kFloat16; };
template <> struct DTypeOf<std::int8_t> { static constexpr DType kValue = DType::kInt8; };
template <> struct DTypeOf<std::int16_t> { static constexpr DType kValue = DType::kInt16; };
template <> struct DTypeOf<std::int32_t> { static constexpr DType kValue = DType::kInt32; };
template <> struct DTypeOf<std::int64_t> { static constexpr DType kValue = DType::kInt64; };
template <> struct DTypeOf<std::uint8_t> { static constexpr DType kValue = DType::kUint8; };
template <> struct DTypeOf<std::uint32_t> { static constexpr DType kValue = DType::kUint32; };
template <> struct DTypeOf<bool> { static constexpr DType kValue = DType::kBool; };

/// A tensor in host memory: row-major, contiguous, native byte order (little-endian hosts only), owned by the value.
/// `data` has element_count(shape) * dtype_size(dtype) bytes; every function that takes a HostTensor checks that.
struct HostTensor {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::byte> data;

  /// Copies `values` (row-major). The count is checked when the tensor is used, not here.
  template <typename T>
  static HostTensor from(Shape shape, std::span<const T> values) {
    HostTensor tensor{DTypeOf<T>::kValue, std::move(shape), std::vector<std::byte>(values.size_bytes())};
    if (!values.empty()) std::memcpy(tensor.data.data(), values.data(), values.size_bytes());
    return tensor;
  }
  template <typename T>
  static HostTensor from(Shape shape, const std::vector<T>& values) {  ///< the same
    return from(std::move(shape), std::span<const T>(values));
  }

  /// The elements as T; empty when T is not the tensor's dtype. Valid while the tensor lives and is not changed.
  template <typename T>
  std::span<const T> as() const {
    if (DTypeOf<T>::kValue != dtype) return {};
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }

  friend bool operator==(const HostTensor&, const HostTensor&) = default;
};

}  // namespace wgk::inline v0
