// Fuzzes request JSON: what is accepted holds tensors of exactly their shape, and survives being printed and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <wgk/request.hpp>

#include "runtime/read_request.h"

namespace {

/// A small limit: filling large tensors takes time and finds nothing.
constexpr std::uint64_t kMaxTensorBytes = 1 << 18;
/// A folder that is not there, so that no npy path leads anywhere.
constexpr const char* kNoFolder = "/nonexistent/wgk";

void check(const wgk::HostTensor& tensor) {
  const auto count = wgk::element_count(tensor.shape);
  if (!count || static_cast<std::uint64_t>(*count) * wgk::dtype_size(tensor.dtype) != tensor.data.size()) {
    __builtin_trap();
  }
  if (tensor.data.size() > 4096) return;
  const std::string text = R"({"inputs": {"x": )" + wgk::tensor_to_json(tensor, true) + "}}";
  const auto again = wgk::runtime::read_request(text, kNoFolder, kMaxTensorBytes);
  if (!again.ok() || again->inputs.at("x") != tensor) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto request = wgk::runtime::read_request(text, kNoFolder, kMaxTensorBytes);
  if (!request.ok()) return 0;
  for (const auto& [name, tensor] : request->inputs) check(tensor);
  return 0;
}
