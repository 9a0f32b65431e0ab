// Bytes of host tensors <-> bytes of their storage buffers on the device (package-format section 9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::base {

/// What happens to int64 values that do not fit their 32-bit storage.
enum class NarrowingMode : std::uint8_t {
  kDeclared,   ///< as the manifest says: the first bad value is an error, or values are clamped
  kUnchecked,  ///< they become 0xFFFFFFFF, which is never a valid row of a table; a clamping format still clamps
};

/// Bytes of one element in a storage buffer: int8, int16, uint8 and bool occupy a 32-bit word.
std::uint64_t storage_element_size(DType storage);

/// Bytes that `elements` elements occupy in storage. `elements` is at most 2^53 - 1, so nothing overflows.
std::uint64_t storage_byte_length(const StorageFormat& format, std::uint64_t elements);

/// Bytes of the buffer that holds `byte_length` bytes: at least 4, a multiple of 4.
constexpr std::uint64_t storage_buffer_size(std::uint64_t byte_length) {
  return byte_length < 4 ? 4 : (byte_length + 3) / 4 * 4;
}

/// The storage bytes of a tensor. Its dtype is the format's logical dtype, or already the storage dtype (then the data
/// are taken as they are). `key` stands in messages. Error: kRequest.
Result<std::vector<std::byte>> to_storage(const HostTensor& tensor, const StorageFormat& format, std::string_view key,
                                          NarrowingMode mode = NarrowingMode::kDeclared);

/// The inverse: a tensor of the logical dtype. `bytes` has at least storage_byte_length bytes; what follows is padding.
/// Error: kRequest.
Result<HostTensor> from_storage(std::span<const std::byte> bytes, const StorageFormat& format, const Shape& shape,
                                std::string_view key);

}  // namespace wgk::base
