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
  Expression expression;
  expression.text_ = std::make_shared<const std::string>(std::move(text));
  auto tree = std::make_shared<ExpressionNode>();
  ExpressionParser parser(tree->ast, Lexer(*expression.text_, Lexer::Mode::kExpression));
  if (!parser.parse_whole(TokenType::kEnd, tree->root)) {
    return positioned(parser.error().reason, parser.error().offset);
  }
  auto names = std::make_shared<std::vector<std::string>>();
  auto required = std::make_shared<std::vector<std::string>>();
  for (const Name& name : tree->ast.names) {
    names->push_back(name.text);
    if (name.required_uses > 0) required->push_back(name.text);
  }
  expression.root_ = std::move(tree);
  expression.names_ = std::move(names);
  expression.required_names_ = std::move(required);
  return expression;
}

Result<Value> Expression::evaluate(const Scope& scope, Budget& budget) const {
  const Ast& ast = root_->ast;
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
  if (!unknown.empty()) return unknown_identifiers(unknown, *text_);
  Evaluator evaluator(ast, slots, budget);
  Value result;
  if (!evaluator.eval(root_->root, result)) return positioned(evaluator.reason(), evaluator.offset());
  return result;
}

}  // namespace wgk::jinja
