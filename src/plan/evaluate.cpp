// Formula -> Value. Nesting of formulas is bounded by the depth limit of JSON, so recursion is safe.
#include "plan/evaluate.h"

#include <utility>

#include <fmt/format.h>

#include "base/excerpt.h"
#include "base/try.h"
#include "plan/brief_text.h"

namespace wgk::plan {
namespace {

using jinja::Budget;
using jinja::Scope;
using jinja::Value;
using package::Formula;

Error out_of_steps() {
  return Error{ErrorCode::kPackage, fmt::format("evaluation step limit ({}) exceeded", limits::kMaxEvaluationSteps)};
}

/// Charges every item of a list or map: the boundary rule copies them, however cheap the expression that named them.
bool charge_items(const Value& value, Budget& budget) {
  if (value.kind() == Value::Kind::kList) {
    for (const Value& item : value.as_list()) {
      if (!budget.spend() || !charge_items(item, budget)) return false;
    }
  } else if (value.kind() == Value::Kind::kMap) {
    for (const auto& [key, item] : value.as_map()) {
      if (!budget.spend() || !charge_items(item, budget)) return false;
    }
  }
  return true;
}

Result<Value> evaluate_list(const Formula::List& items, const Scope& scope, Budget& budget) {
  jinja::List values;
  values.reserve(items.size());
  for (const Formula& item : items) {
    if (!budget.spend()) return out_of_steps();
    WGK_TRY(Value value, evaluate(item, scope, budget));
    values.push_back(std::move(value));
  }
  return Value::list(std::move(values));
}

Result<Value> evaluate_map(const Formula::Map& members, const Scope& scope, Budget& budget) {
  jinja::Map values;
  values.reserve(members.size());
  for (const auto& [key, item] : members) {
    if (!budget.spend()) return out_of_steps();
    WGK_TRY(Value value, evaluate(item, scope, budget));
    values.emplace_back(key, std::move(value));
  }
  return Value::map(std::move(values));
}

/// The part of a list or map that fails with `reason`: evaluation is pure, so asking again gives the same answer.
const Formula& failing_part(const Formula& formula, const Scope& scope, const std::string& reason) {
  const auto fails = [&](const Formula& part) {
    Budget budget;
    const Result<Value> value = evaluate(part, scope, budget);
    return !value.ok() && value.error().message == reason;
  };
  if (const auto* list = std::get_if<Formula::List>(&formula.node)) {
    for (const Formula& item : *list) {
      if (fails(item)) return failing_part(item, scope, reason);
    }
  } else if (const auto* map = std::get_if<Formula::Map>(&formula.node)) {
    for (const auto& [key, item] : *map) {
      if (fails(item)) return failing_part(item, scope, reason);
    }
  }
  return formula;
}

std::string place_in(const Formula& formula, const std::string& reason) {
  const auto* expression = std::get_if<jinja::Expression>(&formula.node);
  return expression == nullptr ? std::string() : base::excerpt(expression->text(), reason);
}

std::string list_text(const Formula::List& items) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) text += ", ";
    text += formula_text(items[i]);
  }
  return text + "]";
}

std::string map_text(const Formula::Map& members) {
  std::string text = "{";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != 0) text += ", ";
    text += fmt::format("\"{}\": {}", members[i].first, formula_text(members[i].second));
  }
  return text + "}";
}

}  // namespace

Result<Value> evaluate(const Formula& formula, const Scope& scope, Budget& budget) {
  if (const auto* expression = std::get_if<jinja::Expression>(&formula.node)) {
    WGK_TRY(const Value value, expression->evaluate(scope, budget));
    if (!charge_items(value, budget)) return out_of_steps();
    return value.at_boundary();
  }
  if (const auto* literal = std::get_if<Value>(&formula.node)) {
    if (!budget.spend()) return out_of_steps();
    return *literal;
  }
  if (const auto* list = std::get_if<Formula::List>(&formula.node)) return evaluate_list(*list, scope, budget);
  if (const auto* map = std::get_if<Formula::Map>(&formula.node)) return evaluate_map(*map, scope, budget);
  const auto& broken = std::get<Formula::Broken>(formula.node);
  return Error{ErrorCode::kPackage, fmt::format("expression syntax error in `{}`: {}", broken.text, broken.reason)};
}

Result<Value> evaluate_or_fail(const Formula& formula, std::string_view op, const Scope& scope, Budget& budget) {
  Result<Value> value = evaluate(formula, scope, budget);
  if (value.ok()) return value;
  const Formula& culprit = failing_part(formula, scope, value.error().message);
  return Error{value.error().code, fmt::format("{}: manifest.json: {}: {}{}", op, culprit.pointer(),
                                               value.error().message, place_in(culprit, value.error().message))};
}

std::string formula_text(const Formula& formula) {
  if (const auto* expression = std::get_if<jinja::Expression>(&formula.node)) return expression->text();
  if (const auto* literal = std::get_if<Value>(&formula.node)) return brief_text(*literal);
  if (const auto* list = std::get_if<Formula::List>(&formula.node)) return list_text(*list);
  if (const auto* map = std::get_if<Formula::Map>(&formula.node)) return map_text(*map);
  return std::get<Formula::Broken>(formula.node).text;
}

bool mentions(const Formula& formula, std::string_view name) {
  bool found = false;
  for_each_name(formula, [&](const std::string& used) { found = found || used == name; });
  return found;
}

}  // namespace wgk::plan
