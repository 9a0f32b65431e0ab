// Choosing the variant (package-format section 12).
#pragma once

#include <string>
#include <vector>

#include <wgk/device_profile.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/scope.h"
#include "package/model.h"

namespace wgk::plan {

struct Selection {
  const package::Variant* variant = nullptr;
  std::vector<VariantDecision> decisions;  ///< in the order of candidates; with a pinned variant, that one only
};

/// The first candidate that passes undemoted, else the first that passes demoted. `scope` holds what guards see:
/// manifest derives and manifest tunables. With `explain_all` the candidates after the selected one are checked too,
/// on a budget of their own, so that explaining never changes whether a plan succeeds. Error: kRequest.
Result<Selection> select_variant(const package::Manifest& manifest, const std::string& pinned,
                                 const DeviceProfile& profile, const jinja::Scope& scope, jinja::Budget& budget,
                                 bool explain_all);

}  // namespace wgk::plan
