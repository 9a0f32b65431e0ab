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

/// Receives the values of a text in its order; what is between an open and its close belongs to that container.
class JsonSink {
 public:
  virtual ~JsonSink() = default;
  /// Forgets all: the text is read anew.
  virtual void restart() = 0;
  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void integer(std::int64_t value) = 0;  ///< below zero
  virtual void unsigned_integer(std::uint64_t value) = 0;
  virtual void number(double value) = 0;
  virtual void string(std::string& value) = 0;  ///< may be moved from
  virtual void open_map() = 0;
  virtual void open_list() = 0;
  /// The key of the next value; false if the map has it already.
  virtual bool key(std::string& name) = 0;  ///< may be moved from
  virtual void close() = 0;
};

/// parse_json for another form of document. After an error the sink has part of the text.
Status parse_json_into(std::string_view text, JsonSink& sink, ErrorCode code);

/// parse_json_into without its quick way (json_quick.h): one character after the other, with their places.
Status parse_json_strictly(std::string_view text, JsonSink& sink, ErrorCode code);

/// Appends a member or index to a JSON pointer, escaping "~" and "/".
std::string pointer_child(std::string_view pointer, std::string_view key);
std::string pointer_child(std::string_view pointer, std::size_t index);

/// The candidate closest to `word` by edit distance, for "did you mean"; empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace wgk::base
