// From the steps of a variant to the passes of a plan (package-format sections 7, 8, 13 to 15).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <wgk/device_profile.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "package/model.h"
#include "plan/bind_request.h"
#include "plan/environment.h"

namespace wgk::plan {

/// What the passes of one call are made from.
struct PassInputs {
  const package::LoadedPackage& package;
  const package::Variant& variant;
  const DeviceProfile& profile;
  const BoundRequest& bound;
  const std::vector<std::optional<std::uint32_t>>& tensor_of_port;  ///< index into Plan::tensors
};

/// Expands repeat groups and appends every pass, its WGSL, uniforms and dispatch to `plan`, whose tensors, scratch and
/// `empty` are set. Errors: kPackage, kRequest.
Status make_passes(const PassInputs& inputs, Environment& environment, jinja::Budget& budget, Plan& plan);

}  // namespace wgk::plan
