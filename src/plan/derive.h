// Evaluating `derive` entries, in order, each seeing the earlier ones (package-format 6.8).
#pragma once

#include <string_view>
#include <vector>

#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "package/formula.h"
#include "plan/environment.h"

namespace wgk::plan {

/// Adds the entries to the environment's derives. An error is fatal for the call. Error: kPackage.
Status evaluate_derives(const std::vector<package::NamedFormula>& entries, std::string_view op,
                        Environment& environment, jinja::Budget& budget);

/// Output inference: evaluates only the entries that `wanted` formulas reach, directly or through other entries, into
/// `scope` (whose outer scope is the environment's namespaces). An entry that fails stays unknown.
void evaluate_reached_derives(const std::vector<package::NamedFormula>& entries,
                              const std::vector<const package::Formula*>& wanted, Environment& environment,
                              jinja::Scope& scope, jinja::Budget& budget);

}  // namespace wgk::plan
