// Bounded printing of values: a list of 100,000 items must not become a message of a megabyte.
#include "plan/brief_text.h"

#include <string_view>

#include "base/js_number.h"

namespace wgk::plan {
namespace {

using jinja::Value;

class BriefPrinter {
 public:
  explicit BriefPrinter(bool compact) : comma_(compact ? "," : ", "), colon_(compact ? ":" : ": ") {}

  std::string print(const Value& value) {
    append(value);
    if (out_.size() > kMaxBriefBytes) cut();
    return std::move(out_);
  }

 private:
  bool full() const { return out_.size() > kMaxBriefBytes; }

  void append(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::kUndefined:
        out_ += "undefined";
        break;
      case Value::Kind::kNone:
        out_ += "null";
        break;
      case Value::Kind::kBool:
        out_ += value.as_bool() ? "true" : "false";
        break;
      case Value::Kind::kInt:
      case Value::Kind::kFloat:
        out_ += base::js_number(value.as_number());
        break;
      case Value::Kind::kString:
        append_quoted(value.as_string());
        break;
      case Value::Kind::kList:
        append_list(value.as_list());
        break;
      case Value::Kind::kMap:
        append_map(value.as_map());
        break;
      case Value::Kind::kFunction:
        out_ += "function";
        break;
    }
  }

  void append_list(const jinja::List& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size() && !full(); ++i) {
      if (i != 0) out_ += comma_;
      append(list[i]);
    }
    out_ += ']';
  }

  void append_map(const jinja::Map& map) {
    out_ += '{';
    for (std::size_t i = 0; i < map.size() && !full(); ++i) {
      if (i != 0) out_ += comma_;
      append_quoted(map[i].first);
      out_ += colon_;
      append(map[i].second);
    }
    out_ += '}';
  }

  void append_quoted(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    out_ += '"';
    for (const char c : text.substr(0, kMaxBriefBytes)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (byte < 0x20) {
        out_ += "\\u00";
        out_ += kHex[byte >> 4];
        out_ += kHex[byte & 15];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  /// Cuts before a UTF-8 continuation byte, so that the text stays valid.
  void cut() {
    std::size_t end = kMaxBriefBytes;
    while (end > 0 && (static_cast<unsigned char>(out_[end]) & 0xC0) == 0x80) --end;
    out_.resize(end);
    out_ += "…";
  }

  std::string out_;
  std::string_view comma_;
  std::string_view colon_;
};

}  // namespace

std::string brief_text(const Value& value) { return BriefPrinter(false).print(value); }

std::string compact_text(const Value& value) { return BriefPrinter(true).print(value); }

}  // namespace wgk::plan
