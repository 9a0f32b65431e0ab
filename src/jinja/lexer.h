// Tokens of the inside of a tag or of an expression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wgk::jinja {

enum class TokenType : std::uint8_t {
  kEnd,             ///< of the text
  kCloseOutput,     ///< }} or -}}
  kCloseStatement,  ///< %} or -%}
  kNumber,
  kString,
  kName,
  kPunctuation,
  kError,  ///< Lexer::reason() says why
};

struct Token {
  TokenType type = TokenType::kEnd;
  std::uint32_t offset = 0;
  std::uint32_t end = 0;
  std::string_view text;  ///< as written; of a string, the part between the quotes

  bool is(char punctuation) const {
    return type == TokenType::kPunctuation && text.size() == 1 && text[0] == punctuation;
  }
  bool is_name(std::string_view name) const { return type == TokenType::kName && text == name; }
};

/// Where the lexer stands; copying it is how the parser looks ahead.
class Lexer {
 public:
  enum class Mode : std::uint8_t { kExpression, kOutput, kStatement };

  Lexer(std::string_view text, Mode mode, std::size_t offset = 0) : text_(text), at_(offset), mode_(mode) {}

  Token next();
  const std::string& reason() const { return reason_; }

 private:
  Token make(TokenType type, std::size_t begin, std::size_t length);
  Token fail(std::size_t at, std::string reason);
  Token quoted(char quote);
  Token number();

  std::string_view text_;
  std::size_t at_;
  Mode mode_;
  bool after_dot_ = false;  ///< a number there is an index: `x.0.1` is not `x . 0.1`
  int braces_ = 0;          ///< open {, within which }} does not end the tag
  std::string reason_;
};

/// Replaces the escapes of a string literal. False, with the place and the reason, if one is not known.
bool unescape(std::string_view raw, std::string& out, std::size_t& bad_offset, std::string& reason);

}  // namespace wgk::jinja
