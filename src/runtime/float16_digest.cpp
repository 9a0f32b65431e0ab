// Canonical text of the outputs, then SHA-256.
#include "runtime/float16_digest.h"

#include "base/sha256.h"

namespace wgk::runtime {
namespace {

std::uint16_t canonical(std::uint16_t bits) {
  const std::uint16_t magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00) return 0x7e00;
  return magnitude == 0 ? magnitude : bits;
}

}  // namespace

std::string float16_digest(const RunResult& result) {
  std::string text;
  for (const auto& [key, tensor] : result.outputs) {
    if (tensor.dtype != DType::kFloat16) continue;
    text += key + to_string(tensor.shape) + "\n";
    for (const Float16 element : tensor.as<Float16>()) {
      const std::uint16_t bits = canonical(element.bits);
      text += static_cast<char>(bits & 0xff);
      text += static_cast<char>(bits >> 8);
    }
  }
  return text.empty() ? std::string() : base::sha256_hex(text);
}

}  // namespace wgk::runtime
