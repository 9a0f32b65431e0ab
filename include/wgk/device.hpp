// Opening a WebGPU device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <wgk/device_profile.hpp>
#include <wgk/status.hpp>

namespace wgk::gpu {
class GpuDevice;
}

namespace wgk::inline v0 {

enum class DeviceKind {
  kAuto,      ///< the best GPU, else a software adapter, else the CPU path where the operator has one
  kGpu,       ///< a hardware adapter only
  kSoftware,  ///< a CPU implementation of the graphics API only (lavapipe, SwiftShader, WARP)
  kCpu,       ///< no adapter: the reference implementation of the operator
};

struct DeviceOptions {
  DeviceKind kind = DeviceKind::kAuto;
  std::string adapter_name{};  ///< when not empty: case-insensitive part of the adapter's name
};

/// One adapter of this machine, as `wgk devices` lists it.
struct AdapterListing {
  DeviceKind kind = DeviceKind::kGpu;  ///< kGpu or kSoftware
  DeviceProfile profile;
};

/// A device, or the CPU path. Cheap to copy (shared). One thread at a time per device in this version.
class Device {
 public:
  /// Opens a device with every feature and the highest limits its adapter has. Error: kDevice, naming what was found.
  static Result<Device> open(const DeviceOptions& options = {});
  /// All adapters, best first. An empty list is not an error.
  static Result<std::vector<AdapterListing>> list_adapters();
  /// No adapter: DeviceKind::kCpu, planning for `profile`. For looking at what a device that is not here would do.
  static Device for_profile(DeviceProfile profile);

  DeviceKind kind() const;  ///< never kAuto
  /// Of the adapter; for kCpu that of for_profile(), else webgpu_defaults() with "shader-f16".
  const DeviceProfile& profile() const;
  /// Remarks worth a line on stderr, for example why a GPU was passed over.
  const std::string& note() const;

  /// Internal.
  struct Impl;
  const std::shared_ptr<Impl>& impl() const { return impl_; }
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace wgk::inline v0
