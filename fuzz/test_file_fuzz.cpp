// Fuzzes test.json: every tensor that a case holds has exactly the bytes of its shape.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "package/cases.h"

namespace {

void check(const wgk::HostTensor& tensor) {
  const auto count = wgk::element_count(tensor.shape);
  if (!count || static_cast<std::uint64_t>(*count) * wgk::dtype_size(tensor.dtype) != tensor.data.size()) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A small limit: filling large tensors takes time and finds nothing.
  const auto file = wgk::package::parse_test_file(text, {.max_tensor_bytes = 1 << 20});
  if (!file.ok()) return 0;
  for (const wgk::package::TestCase& test : file->cases) {
    for (const auto& [key, tensor] : test.inputs) check(tensor);
    for (const auto& [key, expected] : test.outputs) {
      if (expected.data) check(*expected.data);
    }
  }
  return 0;
}
