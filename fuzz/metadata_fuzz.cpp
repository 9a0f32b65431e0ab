// Fuzzes metadata.json: any bytes give metadata whose paths are contained, or an error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "package/metadata.h"

namespace {

bool escapes(const std::string& path) {
  return path.empty() || path.front() == '/' || path.find("..") != std::string::npos ||
         path.find('\\') != std::string::npos || path.find('\0') != std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto metadata = wgk::package::parse_metadata(text, "fuzz");
  if (!metadata.ok()) return 0;
  for (const auto& entry : metadata->digests) {
    if (escapes(entry.first)) __builtin_trap();
  }
  for (const auto& [id, paths] : metadata->variants) {
    if (std::any_of(paths.begin(), paths.end(), escapes)) __builtin_trap();
  }
  return 0;
}
