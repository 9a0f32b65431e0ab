// Workgroup counts of a pass (package-format section 13).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <wgk/device_profile.hpp>
#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/scope.h"
#include "package/model.h"

namespace wgk::plan {

struct DispatchLimits {
  std::uint64_t fold_width = 65535;  ///< F: where a count continues on the next axis
  std::uint64_t per_axis = 65535;    ///< the device's limit
};

DispatchLimits dispatch_limits(const package::Manifest& manifest, const DeviceProfile& profile);

/// Evaluates, folds and checks. `pass_id` stands in messages. Errors: kPackage, kRequest (over the limit).
Result<std::array<std::uint32_t, 3>> evaluate_dispatch(const package::Dispatch& dispatch, const DispatchLimits& limits,
                                                       std::string_view op, std::string_view pass_id,
                                                       const jinja::Scope& scope, jinja::Budget& budget);

}  // namespace wgk::plan
