// The planner: package + request + device profile -> Plan. Pure and deterministic.
#pragma once

#include <wgk/device_profile.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "package/model.h"

namespace wgk::plan {

/// Binds the request, infers outputs, evaluates derives, selects a variant, renders its WGSL, packs uniforms and
/// computes the dispatch (package-format sections 10 to 15). Errors: kRequest where the request or the device does not
/// fit, kPackage where an expression or template of the manifest fails, worded as in package-format.
///
/// The plan depends on these four arguments and on nothing else, all of them comparable values, and refers to none of
/// them: a cache may keep it under (package, request, profile).
Result<Plan> make_plan(const package::LoadedPackage& package, const PlanRequest& request, const DeviceProfile& profile,
                       const PlanOptions& options = {});

}  // namespace wgk::plan
