// Intermediate buffers of the selected variant (package-format section 15, rule 1).
#pragma once

#include <string_view>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/scope.h"
#include "package/model.h"

namespace wgk::plan {

/// Sizes of every declared intermediate, whether it will be bound or not. Error: kPackage.
Result<std::vector<PlanScratch>> evaluate_scratch(const package::Variant& variant, std::string_view op,
                                                  const jinja::Scope& scope, jinja::Budget& budget);

/// Keeps in `plan` only the scratch buffers that a pass which is not skipped binds, and renumbers the bindings.
void drop_unused_scratch(Plan& plan);

}  // namespace wgk::plan
