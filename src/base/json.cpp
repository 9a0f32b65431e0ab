// The strict JSON reader: nlohmann's lexer feeding a sink that knows limits, duplicates and positions.
#include "base/json.h"

#include <cmath>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/json_quick.h"

namespace wgk::base {
namespace {

constexpr std::size_t kMaxReasonBytes = 240;
constexpr std::size_t kLinearDuplicateSearch = 16;

/// Length of the well-formed UTF-8 sequence at `at`, or 0 (RFC 3629: no overlong forms, surrogates or values > 10FFFF).
std::size_t utf8_sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) -> unsigned {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0u;
  };
  const auto continuation = [&](std::size_t offset, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(offset) >= low && byte(offset) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continuation(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return continuation(1, low, high) && continuation(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return continuation(1, low, high) && continuation(2) && continuation(3) ? 4 : 0;
  }
  return 0;
}

/// Offset of the first NUL or ill-formed byte, or npos.
std::size_t find_invalid_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0) return at;
    const std::size_t length = byte < 0x80 ? 1 : utf8_sequence(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string place(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  std::size_t start = 0;
  for (std::size_t at = 0; at < offset && at < text.size(); ++at) {
    if (text[at] == '\n') {
      ++line;
      start = at + 1;
    }
  }
  return fmt::format("line {}, column {}", line, offset - start + 1);
}

/// A character iterator that tells the builder how far the lexer has come; SAX events carry no position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** seen_;
};

/// What nlohmann's lexer calls: adds what the limits of this reader refuse, and the places of errors.
class Handler {
 public:
  Handler(std::string_view text, const char** seen, JsonSink& sink) : text_(text), seen_(seen), sink_(sink) {}

  bool null() {
    sink_.null();
    return true;
  }
  bool boolean(bool value) {
    sink_.boolean(value);
    return true;
  }
  bool number_integer(Json::number_integer_t value) {
    // "0" arrives as unsigned, so a signed zero was written "-0".
    if (value == 0) {
      sink_.number(-0.0);
    } else {
      sink_.integer(value);
    }
    return true;
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    sink_.unsigned_integer(value);
    return true;
  }
  bool number_float(Json::number_float_t value, const std::string&) {
    sink_.number(value);
    return true;
  }
  bool string(std::string& value) {
    if (value.find('\0') != std::string::npos) return fail("invalid text");
    sink_.string(value);
    return true;
  }
  bool binary(Json::binary_t&) { return fail("invalid text"); }
  bool start_object(std::size_t) {
    if (!enter()) return false;
    sink_.open_map();
    return true;
  }
  bool start_array(std::size_t) {
    if (!enter()) return false;
    sink_.open_list();
    return true;
  }
  bool end_object() { return leave(); }
  bool end_array() { return leave(); }

  bool key(std::string& name) {
    constexpr std::size_t kShownBytes = 100;
    if (name.find('\0') != std::string::npos) return fail("invalid text");
    return sink_.key(name) || fail(fmt::format("duplicate key \"{}\"", name.substr(0, kShownBytes)));
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    std::string reason = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …"
    if (const auto bracket = reason.find("] "); bracket != std::string::npos) reason.erase(0, bracket + 2);
    if (reason.starts_with("parse error at ")) {
      const auto colon = reason.find(": ");
      if (colon != std::string::npos) reason.erase(0, colon + 2);
    }
    if (reason.size() > kMaxReasonBytes) {
      std::size_t cut = kMaxReasonBytes;
      while (cut > 0 && (static_cast<unsigned char>(reason[cut]) & 0xC0) == 0x80) --cut;
      reason.resize(cut);
      reason += "...";
    }
    return fail(reason);
  }

  const std::string& reason() const { return reason_; }

 private:
  bool fail(std::string_view reason) {
    const auto offset = static_cast<std::size_t>(*seen_ - text_.data());
    reason_ = fmt::format("{} ({})", reason, place(text_, offset == 0 ? 0 : offset - 1));
    return false;
  }

  bool enter() {
    if (++depth_ <= limits::kMaxJsonDepth) return true;
    return fail(fmt::format("JSON nesting exceeds {}", limits::kMaxJsonDepth));
  }

  bool leave() {
    --depth_;
    sink_.close();
    return true;
  }

  std::string_view text_;
  const char** seen_;
  JsonSink& sink_;
  int depth_ = 0;
  std::string reason_;
};

/// Builds the document. The innermost container is the only one that grows, so pointers to the outer ones stay valid.
class Builder : public JsonSink {
 public:
  void restart() override {
    stack_.clear();
    root_ = nullptr;
  }
  void null() override { add(Json(nullptr)); }
  void boolean(bool value) override { add(Json(value)); }
  void integer(std::int64_t value) override { add(Json(value)); }
  void unsigned_integer(std::uint64_t value) override { add(Json(value)); }
  void number(double value) override { add(Json(value)); }
  void string(std::string& value) override { add(Json(std::move(value))); }
  void open_map() override { stack_.push_back(Frame{add(Json::object()), {}, {}}); }
  void open_list() override { stack_.push_back(Frame{add(Json::array()), {}, {}}); }
  void close() override { stack_.pop_back(); }

  bool key(std::string& name) override {
    Frame& frame = stack_.back();
    if (!insert_key(frame, name)) return false;
    frame.key = std::move(name);
    return true;
  }

  Json take() { return std::move(root_); }

 private:
  struct Frame {
    Json* container;
    std::string key;
    std::unordered_set<std::string> keys;  // filled only for objects that a linear search would make slow
  };

  static bool insert_key(Frame& frame, const std::string& name) {
    const auto& object = frame.container->get_ref<const Json::object_t&>();
    if (object.size() < kLinearDuplicateSearch) {
      for (const auto& member : object) {
        if (member.first == name) return false;
      }
      return true;
    }
    if (frame.keys.empty()) {
      for (const auto& member : object) frame.keys.insert(member.first);
    }
    return frame.keys.insert(name).second;
  }

  Json* add(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Frame& frame = stack_.back();
    if (frame.container->is_array()) {
      auto& array = frame.container->get_ref<Json::array_t&>();
      array.push_back(std::move(value));
      return &array.back();
    }
    // ordered_map::emplace would search all keys again.
    auto& object = frame.container->get_ref<Json::object_t&>();
    object.emplace_back(std::move(frame.key), std::move(value));
    return &object.back().second;
  }

  Json root_;
  std::vector<Frame> stack_;
};

}  // namespace

Status parse_json_into(std::string_view text, JsonSink& sink, ErrorCode code) {
  if (read_json_quickly(text, sink)) return {};
  sink.restart();
  return parse_json_strictly(text, sink, code);
}

Status parse_json_strictly(std::string_view text, JsonSink& sink, ErrorCode code) {
  if (const auto bad = find_invalid_text(text); bad != std::string_view::npos) {
    return Error{code, fmt::format("invalid text ({})", place(text, bad))};
  }
  if (text.empty()) return Error{code, "the text is empty (line 1, column 1)"};
  const char* seen = text.data();
  Handler handler(text, &seen, sink);
  const bool parsed =
      Json::sax_parse(CountingIterator(text.data(), &seen), CountingIterator(text.data() + text.size(), &seen),
                      &handler, Json::input_format_t::json, true);
  if (!parsed) return Error{code, handler.reason()};
  return {};
}

Result<Json> parse_json(std::string_view text, ErrorCode code) {
  Builder builder;
  if (Status status = parse_json_into(text, builder, code); !status.ok()) return std::move(status).error();
  return builder.take();
}

std::string pointer_child(std::string_view pointer, std::string_view key) {
  std::string child(pointer);
  child += '/';
  for (const char c : key) {
    if (c == '~') {
      child += "~0";
    } else if (c == '/') {
      child += "~1";
    } else {
      child += c;
    }
  }
  return child;
}

std::string pointer_child(std::string_view pointer, std::size_t index) { return fmt::format("{}/{}", pointer, index); }

}  // namespace wgk::base
