// Escapes what a terminal would obey instead of show.
#include "base/visible.h"

#include <fmt/format.h>

namespace wgk::base {
namespace {

/// The code point of a two- or three-byte sequence at `at`, else 0: none of the characters concerned is longer.
unsigned short_code_point(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = [&](std::size_t offset) -> unsigned {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0u;
  };
  const auto follows = [&](std::size_t offset) { return (byte(offset) & 0xC0) == 0x80; };
  if ((byte(0) & 0xE0) == 0xC0 && follows(1)) {
    length = 2;
    return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  }
  if ((byte(0) & 0xF0) == 0xE0 && follows(1) && follows(2)) {
    length = 3;
    return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  }
  return 0;
}

/// C1 controls, zero-width and directional characters, line and paragraph separators, the byte order mark.
bool is_hidden(unsigned code) {
  return (code >= 0x80 && code <= 0x9F) || code == 0xAD || code == 0x61C || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

std::size_t cut_point(std::string_view text, std::size_t max_bytes) {
  std::size_t end = text.size();
  if (end <= max_bytes) return end;
  end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

std::string visible(std::string_view text, std::size_t max_bytes, bool keep_lines) {
  const std::size_t end = cut_point(text, max_bytes);
  const std::string_view kept = text.substr(0, end);
  std::string safe;
  safe.reserve(end);
  for (std::size_t at = 0; at < kept.size();) {
    const char c = kept[at];
    const auto byte = static_cast<unsigned char>(c);
    std::size_t length = 1;
    if (byte >= 0x80) {
      const unsigned code = short_code_point(kept, at, length);
      safe += is_hidden(code) ? fmt::format("\\u{:04x}", code) : std::string(kept.substr(at, length));
    } else if ((byte < 0x20 && !(keep_lines && (c == '\n' || c == '\t'))) || byte == 0x7F) {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += c;
    }
    at += length;
  }
  if (end < text.size()) safe += "...";
  return safe;
}

}  // namespace wgk::base
