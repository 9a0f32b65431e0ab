// Translating what webgpu.h says about adapters and devices into the names of the WebGPU specification.
#pragma once

#include <span>
#include <vector>

#include <wgk/device_profile.hpp>
#include <wgk/status.hpp>

#include "gpu/webgpu_api.h"

namespace wgk::gpu {

/// Everything read from one adapter. `request` is what a device made from it should ask for.
struct AdapterFacts {
  DeviceProfile profile;
  WGPUAdapterType type = WGPUAdapterType_Unknown;
  std::vector<WGPUFeatureName> request_features;
  WGPULimits request_limits = WGPU_LIMITS_INIT;
};

Result<AdapterFacts> read_adapter(WGPUAdapter adapter);

/// Features and limits of a device that somebody else made; its adapter stays unknown.
Result<DeviceProfile> read_device(WGPUDevice device);

/// Pure parts of read_adapter, for tests.
std::set<std::string, std::less<>> feature_names(std::span<const WGPUFeatureName> features);
std::map<std::string, std::uint64_t, std::less<>> limit_values(const WGPULimits& limits);
AdapterInfo adapter_info(const WGPUAdapterInfo& info);

}  // namespace wgk::gpu
