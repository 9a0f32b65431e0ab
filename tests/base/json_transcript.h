// Writes down what a JSON reader gives its sink, so that two readers can be compared.
#pragma once

#include <string>

#include <fmt/format.h>

#include "base/json.h"

namespace wgk::base {

class JsonTranscript : public JsonSink {
 public:
  void restart() override { text_.clear(); }
  void null() override { text_ += "null "; }
  void boolean(bool value) override { text_ += value ? "true " : "false "; }
  void integer(std::int64_t value) override { text_ += fmt::format("i{} ", value); }
  void unsigned_integer(std::uint64_t value) override { text_ += fmt::format("u{} ", value); }
  void number(double value) override { text_ += fmt::format("{:a} ", value); }
  void string(std::string& value) override { text_ += fmt::format("{}:{} ", value.size(), value); }
  void open_map() override { text_ += "{ "; }
  void open_list() override { text_ += "[ "; }
  bool key(std::string& name) override {
    text_ += fmt::format("{}={} ", name.size(), name);
    return name != kTaken;
  }
  void close() override { text_ += "end "; }

  const std::string& text() const { return text_; }

  static constexpr std::string_view kTaken = "taken";  ///< the key that counts as a second one

 private:
  std::string text_;
};

}  // namespace wgk::base
