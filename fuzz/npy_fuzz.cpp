// Fuzzes the npy reader: what is accepted holds exactly the bytes of its shape, and they are the file's last bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tensor = wgk::runtime::parse_npy(bytes);
  if (!tensor.ok()) return 0;
  const auto count = wgk::element_count(tensor->shape);
  const std::size_t held = tensor->data.size();
  if (!count || static_cast<std::uint64_t>(*count) * wgk::dtype_size(tensor->dtype) != held) __builtin_trap();
  if (held > 0 && std::memcmp(tensor->data.data(), data + (size - held), held) != 0) __builtin_trap();
  return 0;
}
