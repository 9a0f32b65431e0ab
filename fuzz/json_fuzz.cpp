// Fuzzes the JSON reader: any bytes give a value within the limits or a reason.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = wgk::base::parse_json(text, wgk::ErrorCode::kPackage);
  if (!json.ok()) return 0;
  // What was accepted is valid UTF-8 without NUL, so printing and reading it again must succeed.
  const auto again = wgk::base::parse_json(json->dump(), wgk::ErrorCode::kPackage);
  if (!again.ok()) __builtin_trap();
  return 0;
}
