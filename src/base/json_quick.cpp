// simdjson reads the text; what it gives is walked into the sink.
#include "base/json_quick.h"

#include <simdjson.h>
#include <string>

#include <wgk/limits.hpp>

namespace wgk::base {
namespace {

/// The document is built before the sink has any of it, so long texts would need their memory twice.
constexpr std::size_t kMaxQuickBytes = std::size_t{1} << 20;

class Walk {
 public:
  explicit Walk(JsonSink& sink) : sink_(sink) {}

  bool value(const simdjson::dom::element& element) {
    switch (element.type()) {
      case simdjson::dom::element_type::NULL_VALUE:
        sink_.null();
        return true;
      case simdjson::dom::element_type::BOOL:
        sink_.boolean(element.get_bool().value_unsafe());
        return true;
      case simdjson::dom::element_type::INT64:
        integer(element.get_int64().value_unsafe());
        return true;
      case simdjson::dom::element_type::UINT64:
        sink_.unsigned_integer(element.get_uint64().value_unsafe());
        return true;
      case simdjson::dom::element_type::DOUBLE:
        sink_.number(element.get_double().value_unsafe());
        return true;
      case simdjson::dom::element_type::STRING:
        if (!take(element.get_string().value_unsafe())) return false;
        sink_.string(text_);
        return true;
      case simdjson::dom::element_type::ARRAY:
        return list(element.get_array().value_unsafe());
      case simdjson::dom::element_type::OBJECT:
        return map(element.get_object().value_unsafe());
    }
    return false;
  }

 private:
  void integer(std::int64_t value) {
    if (value < 0) {
      sink_.integer(value);
    } else {
      sink_.unsigned_integer(static_cast<std::uint64_t>(value));
    }
  }

  bool list(const simdjson::dom::array& items) {
    if (++depth_ > limits::kMaxJsonDepth) return false;
    sink_.open_list();
    for (const simdjson::dom::element item : items) {
      if (!value(item)) return false;
    }
    return close();
  }

  bool map(const simdjson::dom::object& members) {
    if (++depth_ > limits::kMaxJsonDepth) return false;
    sink_.open_map();
    for (const simdjson::dom::key_value_pair member : members) {
      if (!take(member.key) || !sink_.key(text_) || !value(member.value)) return false;
    }
    return close();
  }

  bool close() {
    --depth_;
    sink_.close();
    return true;
  }

  bool take(std::string_view text) {
    text_.assign(text);
    return text.find('\0') == std::string_view::npos;
  }

  JsonSink& sink_;
  std::string text_;
  int depth_ = 0;
};

/// simdjson makes an integer of "-0", which is a number with a sign.
bool has_signed_zero(std::string_view text) {
  for (auto at = text.find("-0"); at != std::string_view::npos; at = text.find("-0", at + 1)) {
    const char next = at + 2 < text.size() ? text[at + 2] : ' ';
    if (next != '.' && next != 'e' && next != 'E') return true;
  }
  return false;
}

}  // namespace

bool read_json_quickly(std::string_view text, JsonSink& sink) {
  if (text.size() > kMaxQuickBytes || has_signed_zero(text)) return false;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return false;
  return Walk(sink).value(root);
}

}  // namespace wgk::base
