// The place is read from the reason's text: errors carry no position of their own.
#include "base/excerpt.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/visible.h"

namespace wgk::base {
namespace {

/// Bytes shown on each side of the place: a line of a terminal, however long the expression is.
constexpr std::size_t kMaxSide = 60;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::optional<std::size_t> column_place(std::string_view reason) {
  constexpr std::string_view kMark = " at column ";
  const auto mark = reason.rfind(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const char* begin = reason.data() + mark + kMark.size();
  std::size_t column = 0;
  const auto read = std::from_chars(begin, reason.data() + reason.size(), column);
  if (read.ec != std::errc() || column == 0) return std::nullopt;
  return column - 1;
}

std::optional<std::size_t> unknown_identifier_place(std::string_view expression, std::string_view reason) {
  constexpr std::string_view kMark = "nknown identifier";
  const auto mark = reason.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const auto open = reason.find('"', mark);
  const auto close = open == std::string_view::npos ? open : reason.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view name = reason.substr(open + 1, close - open - 1);
  if (name.empty()) return std::nullopt;
  for (auto at = expression.find(name); at != std::string_view::npos; at = expression.find(name, at + 1)) {
    const bool starts = at == 0 || (!is_word(expression[at - 1]) && expression[at - 1] != '.');
    const std::size_t end = at + name.size();
    if (starts && (end == expression.size() || !is_word(expression[end]))) return at;
  }
  return std::nullopt;
}

/// One printed cell per character, so that the caret stays below its place.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  return visible(out, out.size());
}

}  // namespace

std::string excerpt(std::string_view expression, std::string_view reason) {
  auto place = column_place(reason);
  if (!place) place = unknown_identifier_place(expression, reason);
  if (!place || *place > expression.size()) return {};
  std::size_t begin = *place;
  while (begin > 0 && expression[begin - 1] != '\n') --begin;
  std::size_t end = std::min(expression.find('\n', *place), expression.size());
  const bool cut_before = *place - begin > kMaxSide;
  if (cut_before) begin = *place - kMaxSide;
  while (begin < *place && continues_character(expression[begin])) ++begin;
  const bool cut_after = end - *place > kMaxSide;
  if (cut_after) end = *place + kMaxSide;
  while (end > *place && end < expression.size() && continues_character(expression[end])) --end;

  const std::string before = (cut_before ? "..." : "") + one_line(expression.substr(begin, *place - begin));
  const auto cells = std::count_if(before.begin(), before.end(), [](char c) { return !continues_character(c); });
  std::string out = "\n    " + before + one_line(expression.substr(*place, end - *place)) + (cut_after ? "..." : "");
  return out + "\n    " + std::string(static_cast<std::size_t>(cells), ' ') + "^";
}

}  // namespace wgk::base
