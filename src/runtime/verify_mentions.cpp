// A lexer of words, strings and the two ways to name a member.
#include "runtime/verify_mentions.h"

#include <algorithm>

namespace wgk::runtime {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Mention> read() {
    while (at_ < text_.size()) step();
    return std::move(mentions_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      read_string();
    } else if (is_digit(c)) {
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
    } else if (is_word(c)) {
      read_name();
    } else if (c == '.') {
      ++at_;
      skip_spaces();
      read_word();  // a member of something that is no bare name
    } else {
      ++at_;
    }
  }

  void read_name() {
    Mention mention;
    mention.offset = at_;
    mention.name = read_word();
    mention.member = read_member();
    mention.guarded = is_guarded();
    mentions_.push_back(std::move(mention));
  }

  std::string read_member() {
    const std::size_t back = at_;
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      skip_spaces();
      return read_word();
    }
    if (at_ < text_.size() && text_[at_] == '[') {
      ++at_;
      skip_spaces();
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
        std::string member = read_string();
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == ']') return member;
      }
    }
    at_ = back;
    return {};
  }

  bool is_guarded() const {
    Lexer ahead(text_);
    ahead.at_ = at_;
    const auto next = [&ahead] {
      ahead.skip_spaces();
      return ahead.read_word();
    };
    if (next() != "is") return false;
    std::string test = next();
    if (test == "not") test = next();
    return test == "defined" || test == "undefined";
  }

  std::string read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  /// The text between the quotes, escapes as written.
  std::string read_string() {
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    at_ = std::min(end + 1, text_.size());
    return std::string(text_.substr(begin, end - begin));
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Mention> mentions_;
};

/// WGSL with its comments as spaces. Block comments nest.
std::string without_comments(std::string text) {
  std::size_t depth = 0;
  bool line = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view two = std::string_view(text).substr(at, 2);
    if (line) {
      line = text[at] != '\n';
    } else if (two == "/*" || (two == "*/" && depth > 0)) {
      depth = two == "/*" ? depth + 1 : depth - 1;
      text[at++] = ' ';
      text[at] = ' ';
      continue;
    } else if (two == "//" && depth == 0) {
      line = true;
    }
    if ((line || depth > 0) && text[at] != '\n') text[at] = ' ';
  }
  return text;
}

}  // namespace

std::vector<Mention> mentions_in_expression(std::string_view text) { return Lexer(text).read(); }

std::vector<Mention> mentions_in_template(std::string_view text) {
  std::vector<Mention> all;
  for (std::size_t at = text.find('{'); at != std::string_view::npos && at + 1 < text.size(); at = text.find('{', at)) {
    const char kind = text[at + 1];
    if (kind != '{' && kind != '%' && kind != '#') {
      ++at;
      continue;
    }
    const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
    const std::size_t end = std::min(text.find(close, at + 2), text.size());
    if (kind != '#') {
      for (Mention& mention : mentions_in_expression(text.substr(at + 2, end - at - 2))) {
        mention.offset += at + 2;
        all.push_back(std::move(mention));
      }
    }
    at = end;
    if (at == text.size()) break;
  }
  return all;
}

std::vector<std::string> words_of_wgsl(const std::string& wgsl) {
  const std::string text = without_comments(wgsl);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    if (at == begin) ++at;
  }
  return words;
}

}  // namespace wgk::runtime
