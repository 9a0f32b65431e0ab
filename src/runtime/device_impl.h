// What a Device holds.
#pragma once

#include <memory>
#include <string>

#include <wgk/device.hpp>

#include "gpu/gpu_device.h"

namespace wgk::inline v0 {

struct Device::Impl {
  DeviceKind kind = DeviceKind::kCpu;
  std::shared_ptr<gpu::GpuDevice> gpu;  ///< null for kCpu
  DeviceProfile profile;
  std::string note;
};

}  // namespace wgk::inline v0
