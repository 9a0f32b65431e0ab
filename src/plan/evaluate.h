// Evaluating the formulas of a manifest.
#pragma once

#include <string>
#include <string_view>

#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/scope.h"
#include "jinja/value.h"
#include "package/formula.h"

namespace wgk::plan {

/// The value of a formula, through the boundary rule (package-format 6.3). The error holds the reason only: the places
/// that evaluate word it differently.
Result<jinja::Value> evaluate(const package::Formula& formula, const jinja::Scope& scope, jinja::Budget& budget);

/// The same where a failure fails the call: "<op>: manifest.json: <pointer>: <reason>".
Result<jinja::Value> evaluate_or_fail(const package::Formula& formula, std::string_view op, const jinja::Scope& scope,
                                      jinja::Budget& budget);

/// The formula as the manifest spells it, for messages.
std::string formula_text(const package::Formula& formula);

/// Calls `visit(name)` for every free identifier of the formula.
template <typename Visit>
void for_each_name(const package::Formula& formula, const Visit& visit) {
  if (const auto* expression = std::get_if<jinja::Expression>(&formula.node)) {
    for (const jinja::Name& name : expression->names()) visit(name.text);
  } else if (const auto* list = std::get_if<package::Formula::List>(&formula.node)) {
    for (const package::Formula& item : *list) for_each_name(item, visit);
  } else if (const auto* map = std::get_if<package::Formula::Map>(&formula.node)) {
    for (const auto& [key, item] : *map) for_each_name(item, visit);
  }
}

/// Whether the formula uses the identifier.
bool mentions(const package::Formula& formula, std::string_view name);

}  // namespace wgk::plan
