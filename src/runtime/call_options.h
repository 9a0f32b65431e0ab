// The options of a call against the manifest, whatever will compute it.
#pragma once

#include <wgk/kernel.hpp>
#include <wgk/status.hpp>

#include "package/model.h"

namespace wgk::runtime {

/// Refuses what the manifest does not declare (variant, tunables, scalar arguments, outputs) and integer attributes
/// beyond 2^53, so that the CPU path, which does not plan, is as strict as an adapter. Error: kRequest.
Status check_options(const package::Manifest& manifest, const RunOptions& options);

}  // namespace wgk::runtime
