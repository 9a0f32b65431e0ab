// Parser of templates: text, output and statements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/ast.h"
#include "jinja/expression_parser.h"

namespace wgk::jinja {

class TemplateParser : private ExpressionParser {
 public:
  /// Parses tree.text into the other members of `tree`.
  explicit TemplateParser(TemplateNode& tree)
      : ExpressionParser(tree.ast, Lexer("", Lexer::Mode::kExpression)), tree_(tree), source_(tree.text) {}

  bool parse();
  using ExpressionParser::error;
  /// The tag that was left open, if that is what is wrong.
  const std::optional<ParseError>& opening() const { return opening_; }

 private:
  /// Parses until a statement that starts with one of `ends`, which is left as the current token; or, without ends, to
  /// the end of the text.
  bool parse_block(const std::vector<std::string_view>& ends, BlockId& out, std::uint32_t opening_offset,
                   std::string_view opening_name);
  bool parse_text(std::size_t end, bool strip_right, std::vector<std::uint32_t>& statements);
  bool skip_comment();
  bool parse_output(std::vector<std::uint32_t>& statements);
  bool open_statement();
  bool parse_statement(std::uint32_t offset, std::vector<std::uint32_t>& statements);
  bool parse_if(std::uint32_t offset, Statement& out);
  bool parse_for(std::uint32_t offset, Statement& out);
  bool parse_loop_targets(std::uint32_t& place);
  bool parse_set(std::uint32_t offset, Statement& out);
  bool parse_set_target(Statement& out);
  bool parse_macro(std::uint32_t offset, Statement& out);
  bool parse_parameters(Macro& macro);
  bool variable_name(std::uint32_t& id);
  /// Expects the end of the statement and moves behind it.
  bool close_statement();
  bool close_tag(TokenType end);
  void skip_space();

  TemplateNode& tree_;
  std::string_view source_;
  std::size_t at_ = 0;
  int statement_nesting_ = 0;
  int loops_open_ = 0;
  std::optional<ParseError> opening_;
};

}  // namespace wgk::jinja
