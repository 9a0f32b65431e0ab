// What a Device holds.
#pragma once

#include <memory>
#include <string>

#include <wgk/device.hpp>

#include "cpu/thread_pool.h"
#include "gpu/gpu_device.h"

namespace wgk::inline v0 {

struct Device::Impl {
  DeviceKind kind = DeviceKind::kCpu;
  std::shared_ptr<gpu::GpuDevice> gpu;  ///< null for kCpu
  std::unique_ptr<cpu::ThreadPool> threads;  ///< null unless kCpu
  DeviceProfile profile;
  std::string note;
  std::shared_ptr<const Tuning> tuning;  ///< null: none
};

}  // namespace wgk::inline v0
