// Formulas: manifest values that may hold expressions.
#include <cmath>

#include <fmt/format.h>

#include "base/excerpt.h"
#include "base/try.h"
#include "package/parts.h"

namespace wgk::package {
namespace {

Result<Formula> read_expression(const Node& node) {
  const std::string_view text = node.tree().text();
  auto& shared = node.context().formulas;
  if (const auto known = shared.find(text.data()); known != shared.end()) return known->second;
  auto& known = node.context().expressions;
  auto found = known.find(text);
  if (found == known.end()) found = known.emplace(text, jinja::Expression::parse(std::string(text))).first;
  const Result<jinja::Expression>& parsed = found->second;
  if (parsed.ok()) return shared.emplace(text.data(), Formula{*parsed, node.place()}).first->second;
  const std::string& reason = parsed.error().message;
  const std::string message = fmt::format("expression syntax error in `{}`: {}", printable(text, 400), reason);
  std::string* unusable = node.context().unusable;
  if (unusable == nullptr) {
    Error error = node.fail(message);
    error.message += base::excerpt(text, reason);
    return error;
  }
  if (unusable->empty()) *unusable = message;
  return Formula{Formula::Broken{std::string(text), reason}, node.place()};
}

Result<Formula> read_list(const Node& node) {
  Formula::List list;
  list.reserve(node.size());
  for (std::size_t index = 0; index < node.size(); ++index) {
    WGK_TRY(Formula item, read_formula(node.at(index)));
    list.push_back(std::move(item));
  }
  return Formula{std::move(list), node.place()};
}

Result<Formula> read_map(const Node& node) {
  Formula::Map map;
  map.reserve(node.size());
  WGK_CHECK(for_each_member(node, [&](std::string_view key, const Node& value) -> Status {
    WGK_TRY(Formula item, read_formula(value));
    map.push_back({std::string(key), std::move(item)});
    return {};
  }));
  return Formula{std::move(map), node.place()};
}

}  // namespace

Result<Formula> read_formula(const Node& node) {
  WGK_CHECK(node.charge(1));
  const Tree& tree = node.tree();
  if (tree.is_string()) return read_expression(node);
  if (tree.is_list()) return read_list(node);
  if (tree.is_map()) return read_map(node);
  if (tree.is_boolean()) return Formula{jinja::Value::boolean(tree.as_boolean()), node.place()};
  if (tree.is_number()) return Formula{jinja::Value::number(tree.as_number()), node.place()};
  return Formula{jinja::Value::none(), node.place()};
}

Result<std::vector<Formula>> read_clauses(const Node& list) {
  std::vector<Formula> clauses;
  clauses.reserve(list.size());
  for (std::size_t index = 0; index < list.size(); ++index) {
    const Node item = list.at(index);
    if (item.tree().is_structured()) {
      return item.fail_here(fmt::format("must be an expression, got {}", json_text(&item.tree())));
    }
    WGK_TRY(Formula clause, read_formula(item));
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

Result<std::vector<NamedFormula>> read_named_formulas(const Node& map, std::string_view where,
                                                      std::string_view things) {
  WGK_CHECK(map.require_object());
  WGK_CHECK(map.limit(where, things, map.size(), limits::kMaxDerives));
  std::vector<NamedFormula> formulas;
  formulas.reserve(map.size());
  WGK_CHECK(for_each_member(map, [&](std::string_view name, const Node& value) -> Status {
    WGK_TRY(Formula formula, read_formula(value));
    formulas.emplace_back(name, std::move(formula));
    return {};
  }));
  return formulas;
}

Result<Formula> read_shape(const Node& node) {
  if (node.tree().is_map() || node.tree().is_boolean() || node.tree().is_null()) {
    return node.fail_here(
        fmt::format("must be an expression or a list of expressions, got {}", json_text(&node.tree())));
  }
  return read_formula(node);
}

}  // namespace wgk::package
