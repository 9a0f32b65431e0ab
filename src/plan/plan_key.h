// The identity of a planned call as bytes: equal keys, equal plans.
#pragma once

#include <string>

#include <wgk/device_profile.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>

#include "package/model.h"

namespace wgk::plan {

/// Everything that make_plan can see, without loss: the package (by address), every member of the request with its
/// kind, the whole profile and the options. Two calls whose keys are equal get the same plan. The address is an
/// identity only while the package lives; whoever stores a key checks that it still does.
std::string plan_key(const package::LoadedPackage& package, const PlanRequest& request, const DeviceProfile& profile,
                     const PlanOptions& options);

}  // namespace wgk::plan
