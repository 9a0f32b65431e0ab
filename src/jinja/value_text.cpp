// Text of values: output text, plain text and display text.
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/js_number.h"
#include "jinja/limits.h"
#include "jinja/value.h"

namespace wgk::jinja {

namespace {

constexpr double kFirstExponential = 1e21;  ///< JavaScript writes numbers from here on with an exponent

std::string float_text(double value) {
  if (value == 0 && std::signbit(value)) return "-0.0";
  if (!std::isfinite(value) || std::trunc(value) != value || std::fabs(value) >= kFirstExponential) {
    return base::js_number(value);
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 1);
  return std::string(digits.data(), end.ptr);
}

void append_quoted(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

/// Writes a value as JSON-like text; stops at the limits of string size and nesting.
class JsonWriter {
 public:
  /// `lenient`: never fails; functions and what is too deep become words, and NaN keeps its name.
  explicit JsonWriter(bool lenient) : lenient_(lenient) {}

  bool write(const Value& value, std::uint32_t depth = 0) {
    if (out_.size() > limits::kMaxStringBytes)
      return fail(fmt::format("string exceeds {} bytes", limits::kMaxStringBytes));
    switch (value.kind()) {
      case Value::Kind::kUndefined:
        out_ += "undefined";
        return true;
      case Value::Kind::kNone:
        out_ += "null";
        return true;
      case Value::Kind::kBool:
        out_ += value.as_bool() ? "true" : "false";
        return true;
      case Value::Kind::kInt:
      case Value::Kind::kFloat:
        out_ += lenient_ || std::isfinite(value.as_number()) ? base::js_number(value.as_number()) : "null";
        return true;
      case Value::Kind::kString:
        append_quoted(value.as_string(), out_);
        return true;
      case Value::Kind::kList:
        return write_list(value.as_list(), depth);
      case Value::Kind::kMap:
        return write_map(value.as_map(), depth);
      case Value::Kind::kFunction:
        break;
    }
    if (!lenient_) return fail("Cannot convert to JSON: FunctionValue");
    out_ += "function";
    return true;
  }

  std::string take() && { return std::move(out_); }
  const std::string& reason() const { return reason_; }

 private:
  bool write_list(const List& list, std::uint32_t depth) {
    if (depth >= limits::kMaxValueDepth) return too_deep();
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_ += ", ";
      if (!write(list[i], depth + 1)) return false;
    }
    out_ += ']';
    return true;
  }

  bool write_map(const Map& map, std::uint32_t depth) {
    if (depth >= limits::kMaxValueDepth) return too_deep();
    out_ += '{';
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (i != 0) out_ += ", ";
      append_quoted(map[i].first, out_);
      out_ += ": ";
      if (!write(map[i].second, depth + 1)) return false;
    }
    out_ += '}';
    return true;
  }

  bool too_deep() { return fail(fmt::format("value nesting exceeds {}", limits::kMaxValueDepth)); }

  bool fail(std::string reason) {
    if (lenient_) out_ += "…";
    reason_ = std::move(reason);
    return false;
  }

  bool lenient_;
  std::string out_;
  std::string reason_;
};

}  // namespace

Result<std::string> output_text(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kUndefined:
    case Value::Kind::kNone:
      return std::string();
    case Value::Kind::kBool:
      return std::string(value.as_bool() ? "true" : "false");
    case Value::Kind::kInt:
      return base::js_number(value.as_number());
    case Value::Kind::kFloat:
      return float_text(value.as_number());
    case Value::Kind::kString:
      return value.as_string();
    case Value::Kind::kFunction:
      return Error{ErrorCode::kPackage, "Cannot print a value of type FunctionValue"};
    case Value::Kind::kList:
    case Value::Kind::kMap:
      break;
  }
  JsonWriter writer(false);
  if (!writer.write(value)) return Error{ErrorCode::kPackage, writer.reason()};
  return std::move(writer).take();
}

bool append_plain_text(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Value::Kind::kBool:
      out += value.as_bool() ? "true" : "false";
      return true;
    case Value::Kind::kInt:
    case Value::Kind::kFloat:
      out += base::js_number(value.as_number());
      return true;
    case Value::Kind::kString:
      out += value.as_string();
      return true;
    default:
      return false;
  }
}

std::string display_text(const Value& value) {
  JsonWriter writer(true);
  writer.write(value);
  return std::move(writer).take();
}

}  // namespace wgk::jinja
