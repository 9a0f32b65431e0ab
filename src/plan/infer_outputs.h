// Shape and dtype of every required output (package-format section 11).
#pragma once

#include <wgk/package.hpp>
#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "package/model.h"
#include "plan/bind_request.h"
#include "plan/environment.h"

namespace wgk::plan {

/// Binds the outputs that the call produces. Expects the namespaces of `environment` to hold what the caller bound;
/// leaves them so. Errors: kRequest, kPackage.
Status infer_outputs(const package::Manifest& manifest, const PlanRequest& request, Environment& environment,
                     BoundRequest& bound, jinja::Budget& budget);

}  // namespace wgk::plan
