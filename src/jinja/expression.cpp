// Expression: parse and evaluate.
#include "jinja/expression.h"

#include <fmt/format.h>

#include "jinja/evaluator.h"
#include "jinja/expression_parser.h"

namespace wgk::jinja {

namespace {

Error positioned(const std::string& reason, std::uint32_t offset) {
  return {ErrorCode::kPackage, fmt::format("{} at column {}", reason, offset + 1)};
}

Error unknown_identifiers(const std::vector<std::string_view>& names, const std::string& text) {
  std::string list;
  for (const std::string_view name : names) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
  return {ErrorCode::kPackage, fmt::format("Unknown {} {} in WebGPU expression: {}",
                                           names.size() == 1 ? "identifier" : "identifiers", list, text)};
}

}  // namespace

Result<Expression> Expression::parse(std::string text) {
  if (text.size() > limits::kMaxExpressionBytes)
    return positioned("expression is too long", limits::kMaxExpressionBytes);
  auto parsed = std::make_shared<ParsedExpression>();
  parsed->text = std::move(text);
  ExpressionParser parser(parsed->ast, Lexer(parsed->text, Lexer::Mode::kExpression));
  if (!parser.parse_whole(TokenType::kEnd, parsed->root)) {
    return positioned(parser.error().reason, parser.error().offset);
  }
  Expression expression;
  expression.parsed_ = std::move(parsed);
  return expression;
}

const std::string& Expression::text() const { return parsed_->text; }

std::span<const Name> Expression::names() const { return parsed_->ast.names; }

std::vector<std::string> Expression::required_names() const {
  std::vector<std::string> required;
  for (const Name& name : names()) {
    if (name.required_uses > 0) required.push_back(name.text);
  }
  return required;
}

Result<Value> Expression::evaluate(const Scope& scope, Budget& budget) const {
  const Ast& ast = parsed_->ast;
  std::vector<Value> slots(ast.names.size());
  std::vector<std::string_view> unknown;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Name& name = ast.names[i];
    if (const Value* found = scope.find(name.text, name.hash)) {
      slots[i] = *found;
    } else if (name.required_uses > 0) {
      unknown.push_back(name.text);
    }
  }
  if (!unknown.empty()) return unknown_identifiers(unknown, parsed_->text);
  Evaluator evaluator(ast, slots, budget);
  Value result;
  if (!evaluator.eval(parsed_->root, result)) return positioned(evaluator.reason(), evaluator.offset());
  return result;
}

}  // namespace wgk::jinja
