// The WebGPU device behind a Device.
#pragma once

#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <wgk/device.hpp>
#include <wgk/status.hpp>

#include "gpu/gpu_device.h"
#include "runtime/device_impl.h"

namespace wgk::runtime {

/// Error: kDevice for the CPU path; `what` says what needs the device.
inline Result<std::shared_ptr<gpu::GpuDevice>> webgpu_device_of(const Device& device, std::string_view what) {
  if (device.impl()->gpu) return device.impl()->gpu;
  return Error{ErrorCode::kDevice,
               fmt::format("{}: this is the CPU path; a WebGPU adapter is needed (a GPU, or a software one such as "
                           "lavapipe)",
                           what)};
}

}  // namespace wgk::runtime
