// Fuzzes the JSON reader: any bytes give a value within the limits or a reason, and the quick way through a text gives
// what the strict reader gives.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "base/json_quick.h"
#include "base/json_transcript.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wgk::base;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  JsonTranscript quick;
  if (read_json_quickly(text, quick)) {
    JsonTranscript strict;
    if (!parse_json_strictly(text, strict, wgk::ErrorCode::kPackage).ok()) __builtin_trap();
    if (quick.text() != strict.text()) __builtin_trap();
  }
  const auto json = parse_json(text, wgk::ErrorCode::kPackage);
  if (!json.ok()) return 0;
  // What was accepted is valid UTF-8 without NUL, so printing and reading it again must succeed.
  const auto again = parse_json(json->dump(), wgk::ErrorCode::kPackage);
  if (!again.ok()) __builtin_trap();
  return 0;
}
