// Reading JSON from strangers: nlohmann-json behind the limits of package-format section 17.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <wgk/status.hpp>

namespace wgk::base {

/// Insertion-ordered: the order of derives, bindings and ports is significant.
using Json = nlohmann::ordered_json;

/// Parses UTF-8 JSON text. Refused, each with line and column in the reason: syntax errors, anything after the value,
/// nesting deeper than limits::kMaxJsonDepth ("JSON nesting exceeds 64"), duplicate keys (`duplicate key "k"`), invalid
/// UTF-8 and NUL ("invalid text"). Returns the reason only, without a file name; the caller prefixes it. Code: `code`.
Result<Json> parse_json(std::string_view text, ErrorCode code);

/// Appends a member or index to a JSON pointer, escaping "~" and "/".
std::string pointer_child(std::string_view pointer, std::string_view key);
std::string pointer_child(std::string_view pointer, std::size_t index);

/// The candidate closest to `word` by edit distance, for "did you mean"; empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace wgk::base
