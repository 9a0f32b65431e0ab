// Finding an adapter and opening a device on it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/status.hpp>

#include "gpu/context.h"
#include "gpu/device_facts.h"

namespace wgk::gpu {

struct OpenAdapter {
  Adapter handle;
  AdapterFacts facts;
};

Result<Instance> create_instance();

/// Every adapter of the instance, best first: discrete GPU, integrated GPU, unknown, software.
Result<std::vector<OpenAdapter>> all_adapters(const Instance& instance);

/// Whether an adapter may serve a request: software adapters for kSoftware, others for kGpu, all for kAuto; and
/// `name_part` occurs in its name, whatever the case of ASCII letters.
bool adapter_fits(const AdapterFacts& facts, DeviceKind kind, std::string_view name_part);

/// Opens the best fitting adapter and a device with all it offers.
Result<std::unique_ptr<DeviceContext>> open_device(const DeviceOptions& options);

}  // namespace wgk::gpu
