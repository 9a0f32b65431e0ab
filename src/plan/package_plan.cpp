// The public door to the planner.
#include <new>

#include <wgk/package.hpp>

#include "base/out_of_memory.h"
#include "package/model.h"
#include "plan/make_plan.h"

namespace wgk::inline v0 {

Result<Plan> Package::plan(const PlanRequest& request, const DeviceProfile& profile, const PlanOptions& options) const
    try {
  return wgk::plan::make_plan(*impl_, request, profile, options);
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

}  // namespace wgk::inline v0
