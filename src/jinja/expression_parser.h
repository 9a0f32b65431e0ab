// Recursive-descent parser of expressions; the template parser builds on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jinja/ast.h"
#include "jinja/lexer.h"

namespace wgk::jinja {

/// Why and where parsing failed; offsets are in the parsed text.
struct ParseError {
  std::string reason;
  std::uint32_t offset = 0;
};

/// Functions return false after the first error, which error() tells. Nesting is bounded, so recursion is too; rows of
/// operators of one level (a + b + c, x.y.z, x|f|g) are loops and not limited.
class ExpressionParser {
 public:
  ExpressionParser(Ast& ast, Lexer lexer) : ast_(ast), lexer_(std::move(lexer)) {}

  /// Parses one expression that must be followed by `end`.
  bool parse_whole(TokenType end, NodeId& out);
  const ParseError& error() const { return error_; }

 protected:
  bool advance();
  void restart(Lexer lexer) { lexer_ = std::move(lexer); }
  bool fail(std::uint32_t offset, std::string reason);
  bool unexpected();
  bool expect(char punctuation);
  bool expect_end(TokenType end);
  Token peek() const;

  bool parse_expression(NodeId& out);
  bool parse_postfix(NodeId& out);
  /// `e` or `e, f`, which is a list.
  bool parse_sequence(NodeId& out);
  std::uint32_t intern_name(std::string_view name);
  std::uint32_t add_string(std::string_view text);
  std::uint32_t add_extra(const std::vector<std::uint32_t>& values);

  Ast& ast_;
  Token token_;

 private:
  bool enter(std::uint32_t offset);
  NodeId add(Node node);
  NodeId add_constant(Value value, std::uint32_t offset);
  NodeId add_binary(BinaryOp op, NodeId left, NodeId right, std::uint32_t offset);

  bool parse_ternary(NodeId& out);
  /// A binary operator; the level is -1 where there is none.
  struct Operator {
    int level = -1;
    BinaryOp op{};
  };
  /// The one that starts at the current token.
  Operator find_operator() const;
  bool operand_of(int level, NodeId& out);
  bool parse_binary(int level, NodeId& out);
  bool parse_not(NodeId& out);
  bool parse_tests(NodeId& out);
  bool parse_filters(NodeId& out);
  bool parse_sign(NodeId& out);
  bool parse_primary(NodeId& out);
  bool parse_name(NodeId& out);
  bool parse_string(NodeId& out);
  bool parse_parenthesised(NodeId& out);
  bool parse_list(NodeId& out);
  bool parse_map(NodeId& out);
  bool parse_member(NodeId& out);
  bool parse_subscript(NodeId& out);
  bool parse_call(NodeId& out);
  bool parse_filter(NodeId& out);
  bool parse_arguments(std::vector<std::uint32_t>& positional, std::vector<std::uint32_t>& keywords);

  Lexer lexer_;
  Operator operator_;  ///< find_operator() of token_, asked at every level
  ParseError error_;
  int nesting_ = 0;
  std::unordered_map<std::string, std::uint32_t> name_ids_;  ///< filled where there are more than a few names
};

/// Words that cannot name a variable.
bool is_reserved(std::string_view name);

}  // namespace wgk::jinja
