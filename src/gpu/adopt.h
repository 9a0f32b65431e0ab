// Working on a device that the application made.
#pragma once

#include <memory>

#include <wgk/status.hpp>

#include "gpu/context.h"
#include "gpu/gpu_device.h"

namespace wgk::gpu {

/// Takes references to the handles and reads features and limits. Error: kUsage for a null device.
Result<std::unique_ptr<DeviceContext>> adopt_device(const AdoptedDevice& given);

}  // namespace wgk::gpu
