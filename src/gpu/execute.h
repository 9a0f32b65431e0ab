// Running a plan on a device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "gpu/context.h"
#include "gpu/pipeline_cache.h"

namespace wgk::gpu {

/// The work behind GpuDevice::run.
Result<std::vector<std::vector<std::byte>>> execute(DeviceContext& context, PipelineCache& pipelines, const Plan& plan,
                                                    std::span<const std::span<const std::byte>> inputs);

}  // namespace wgk::gpu
