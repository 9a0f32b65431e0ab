// `derive.D` is a map that would grow with every entry, so it is built only for a formula that uses the word.
#include "plan/derive.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "base/try.h"
#include "plan/evaluate.h"

namespace wgk::plan {
namespace {

using package::Formula;
using package::NamedFormula;

constexpr std::string_view kDeriveNamespace = "derive";

/// The entries that the wanted formulas need. An entry sees earlier ones only, so one walk backwards finds them all.
std::vector<bool> reached_entries(const std::vector<NamedFormula>& entries, const std::vector<const Formula*>& wanted) {
  std::unordered_map<std::string_view, std::size_t> index_of;
  for (std::size_t i = 0; i < entries.size(); ++i) index_of.emplace(entries[i].first, i);
  std::vector<bool> reached(entries.size(), false);
  const auto reach = [&](const Formula& formula, std::size_t before) {
    for_each_name(formula, [&](const std::string& name) {
      if (name == kDeriveNamespace) {
        for (std::size_t i = 0; i < before; ++i) reached[i] = true;
      }
      const auto found = index_of.find(name);
      if (found != index_of.end() && found->second < before) reached[found->second] = true;
    });
  };
  for (const Formula* formula : wanted) reach(*formula, entries.size());
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (reached[i]) reach(entries[i].second, i);
  }
  return reached;
}

}  // namespace

Status evaluate_derives(const std::vector<NamedFormula>& entries, std::string_view op, Environment& environment,
                        jinja::Budget& budget) {
  jinja::Scope& scope = environment.derives();
  scope.reserve(entries.size());
  for (const auto& [name, formula] : entries) {
    if (mentions(formula, kDeriveNamespace)) environment.set_namespace(kDeriveNamespace, as_namespace(scope));
    WGK_TRY(jinja::Value value, evaluate_or_fail(formula, op, scope, budget));
    scope.set(name, std::move(value));
  }
  environment.set_namespace(kDeriveNamespace, as_namespace(scope));
  return {};
}

void evaluate_reached_derives(const std::vector<NamedFormula>& entries, const std::vector<const Formula*>& wanted,
                              Environment& environment, jinja::Scope& scope, jinja::Budget& budget) {
  const std::vector<bool> reached = reached_entries(entries, wanted);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!reached[i]) continue;
    const Formula& formula = entries[i].second;
    if (mentions(formula, kDeriveNamespace)) environment.set_namespace(kDeriveNamespace, as_namespace(scope));
    Result<jinja::Value> value = evaluate(formula, scope, budget);
    if (value.ok()) scope.set(entries[i].first, *std::move(value));
  }
  environment.set_namespace(kDeriveNamespace, as_namespace(scope));
}

}  // namespace wgk::plan
