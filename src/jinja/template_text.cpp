// Block trimming and positions; see template_text.h.
#include "jinja/template_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "jinja/text.h"

namespace wgk::jinja {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Spaces and tabs at `at` that stand before {% or {#.
std::size_t blanks_before_tag(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_blank(text[end])) ++end;
  const std::string_view rest = text.substr(end);
  return rest.starts_with("{%") || rest.starts_with("{#") ? end - at : 0;
}

bool ends_tag(std::string_view text) { return text.ends_with("%}") || text.ends_with("#}"); }

constexpr std::size_t kShownBytes = 160;  ///< of a source line in a message

}  // namespace

void trim_blocks(std::string_view original, std::string& trimmed, std::vector<TextChunk>& chunks) {
  if (original.ends_with('\n')) original.remove_suffix(1);
  std::size_t at = 0;
  const auto resume = [&] {
    chunks.push_back({static_cast<std::uint32_t>(trimmed.size()), static_cast<std::uint32_t>(at)});
  };
  trimmed.reserve(original.size());
  while (true) {
    at += blanks_before_tag(original, at);
    resume();
    const std::size_t line_end = original.find('\n', at);
    const std::size_t end = line_end == std::string_view::npos ? original.size() : line_end;
    trimmed.append(original, at, end - at);
    if (line_end == std::string_view::npos) return;
    const std::string_view line = original.substr(at, end - at);
    if (!ends_tag(line)) trimmed += '\n';
    at = line_end + 1;
  }
}

std::uint32_t original_offset(const std::vector<TextChunk>& chunks, std::uint32_t offset) {
  const auto after =
      std::upper_bound(chunks.begin(), chunks.end(), offset,
                       [](std::uint32_t value, const TextChunk& chunk) { return value < chunk.trimmed; });
  if (after == chunks.begin()) return offset;
  const TextChunk& chunk = *(after - 1);
  return chunk.original + (offset - chunk.trimmed);
}

std::string describe(std::string_view name, std::string_view original, std::size_t offset, std::string_view reason) {
  offset = std::min(offset, original.size());
  const std::string_view before = original.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t last_end = before.rfind('\n');
  const std::size_t begin = last_end == std::string_view::npos ? 0 : last_end + 1;
  const std::size_t column = offset - begin;
  std::string_view source = original.substr(begin, original.find('\n', offset) - begin);
  if (source.ends_with('\r')) source.remove_suffix(1);
  // Of a long line, the part around the column is shown.
  std::size_t shown_from = 0;
  if (source.size() > kShownBytes && column > kShownBytes / 2) shown_from = column - kShownBytes / 2;
  while (shown_from > 0 && (static_cast<unsigned char>(source[shown_from]) & 0xC0u) == 0x80u) --shown_from;
  const std::string_view shown = source.substr(std::min(shown_from, source.size())).substr(0, kShownBytes);
  std::string caret;
  const std::string_view left = shown.substr(0, column - shown_from);
  for (std::size_t at = 0; at < left.size(); at += character_bytes(left, at)) caret += left[at] == '\t' ? '\t' : ' ';
  return fmt::format("{}:{}:{}: {}\n{}\n{}^", name, line, column + 1, base::visible(reason, 2000, true),
                     base::visible(shown, shown.size(), true), caret);
}

}  // namespace wgk::jinja
