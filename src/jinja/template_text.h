// The text of a template before it is parsed: block trimming, and positions for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/ast.h"

namespace wgk::jinja {

/// Steps 2 and 3 of package-format 7.1: the final line end, lstrip_blocks and trim_blocks.
void trim_blocks(std::string_view original, std::string& trimmed, std::vector<TextChunk>& chunks);

/// The place in the original text of an offset in the trimmed text.
std::uint32_t original_offset(const std::vector<TextChunk>& chunks, std::uint32_t offset);

/// "<name>:<line>:<column>: <reason>", the source line, and a line with a caret.
std::string describe(std::string_view name, std::string_view original, std::size_t offset, std::string_view reason);

}  // namespace wgk::jinja
