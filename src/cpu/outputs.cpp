// Fresh memory costs more than the work of a call when the system hands it out in small pages.
#include "cpu/outputs.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace wgk::cpu {
namespace {

/// Asks for large pages, inside [data, data + size) only. That it may be refused changes nothing but time.
void prefer_large_pages([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (address + size) / kPage * kPage;
  if (begin < end) madvise(data + (begin - address), end - begin, MADV_HUGEPAGE);
#endif
}

std::vector<std::byte> fresh_bytes(std::size_t size) {
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  prefer_large_pages(bytes.data(), size);  // before the zeros touch it
  bytes.resize(size);
  return bytes;
}

}  // namespace

void output_like(ops::OpOutputs& outputs, std::size_t index, std::string_view key, const HostTensor& model) {
  const std::size_t size = model.data.size();
  const bool fits = index < outputs.size() && outputs[index].second.data.size() == size;
  // First of all, so that running out of memory changes nothing.
  std::vector<std::byte> fresh = fits ? std::vector<std::byte>() : fresh_bytes(size);
  if (outputs.size() <= index) outputs.resize(index + 1);
  auto& [name, tensor] = outputs[index];
  name = std::string(key);
  tensor.dtype = model.dtype;
  tensor.shape = model.shape;
  if (!fits) tensor.data = std::move(fresh);
}

}  // namespace wgk::cpu
