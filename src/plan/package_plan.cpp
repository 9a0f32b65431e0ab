// The public door to the planner.
#include <wgk/package.hpp>

#include "package/model.h"
#include "plan/make_plan.h"

namespace wgk::inline v0 {

Result<Plan> Package::plan(const PlanRequest& request, const DeviceProfile& profile, const PlanOptions& options) const {
  return wgk::plan::make_plan(*impl_, request, profile, options);
}

}  // namespace wgk::inline v0
