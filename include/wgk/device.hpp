// Opening a WebGPU device.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <wgk/device_profile.hpp>
#include <wgk/export.hpp>
#include <wgk/limits.hpp>
#include <wgk/status.hpp>
#include <wgk/webgpu_handles.hpp>

namespace wgk::gpu {
class GpuDevice;
}

namespace wgk::inline v0 {

class Tuning;

enum class DeviceKind {
  kAuto,      ///< the best GPU, else a software adapter, else the CPU path where the operator has one
  kGpu,       ///< a hardware adapter only
  kSoftware,  ///< a CPU implementation of the graphics API only (lavapipe, SwiftShader, WARP)
  kCpu,       ///< no adapter: wgk's own vectorised implementation of the operator
};

struct DeviceOptions {
  DeviceKind kind = DeviceKind::kAuto;
  std::string adapter_name{};  ///< when not empty: case-insensitive part of the adapter's name
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  ///< longest wait for the GPU; 0: no limit
  std::uint64_t max_call_bytes = limits::kMaxCallBytes;          ///< most GPU memory that wgk takes for one call
  std::shared_ptr<const Tuning> tuning{};  ///< what to run calls with that pin neither variant nor tunables
  /// Most threads of a call on kCpu, its caller being one; 0: as many as the machine runs at once, at most 16. Helpers
  /// are started by the first call that is large enough for them.
  unsigned cpu_threads = 0;
};

/// How to work on a device that the application made.
struct AdoptOptions {
  WGPUAdapter adapter = nullptr;  ///< for names, vendor and kind in the profile; null: they stay unknown
  /// True: the application calls wgpuInstanceProcessEvents or the like on a thread of its own, and wgk must not. Calls
  /// of wgk that wait then depend on that loop.
  bool application_polls = false;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  ///< longest wait for the GPU; 0: no limit
  std::uint64_t max_call_bytes = limits::kMaxCallBytes;          ///< most GPU memory that wgk takes for one call
  std::shared_ptr<const Tuning> tuning{};  ///< what to run calls with that pin neither variant nor tunables
};

/// One adapter of this machine, as `wgk devices` lists it.
struct AdapterListing {
  DeviceKind kind = DeviceKind::kGpu;  ///< kGpu or kSoftware
  DeviceProfile profile;
};

/// A device, or the CPU path. Cheap to copy (shared). Any thread. WebGPU keeps one stack of error scopes per device,
/// and every call that creates objects uses it for a moment: an application that has error scopes open on an adopted
/// device must not let another thread call wgk meanwhile. Recording (Bound::encode) uses no scope.
class WGK_API Device {
 public:
  /// Opens a device with every feature and the highest limits its adapter has. Error: kDevice, naming what was found.
  static Result<Device> open(const DeviceOptions& options = {});
  /// Works on a device of the application. The handles must be of the linked webgpu.h implementation; references to
  /// them are kept while this Device or anything made on it lives. The device is never destroyed, its callbacks stay as
  /// they are. `instance` may be null: then only the device is polled. Error: kUsage for a null device.
  static Result<Device> adopt(WGPUInstance instance, WGPUDevice device, const AdoptOptions& options = {});
  /// All adapters, best first. An empty list is not an error.
  static Result<std::vector<AdapterListing>> list_adapters();
  /// No adapter: DeviceKind::kCpu, planning for `profile`. For looking at what a device that is not here would do.
  static Device for_profile(DeviceProfile profile);

  DeviceKind kind() const;  ///< never kAuto
  /// Of the adapter; for kCpu that of for_profile(), else webgpu_defaults() with "shader-f16".
  const DeviceProfile& profile() const;
  /// Remarks worth a line on stderr, for example why a GPU was passed over.
  const std::string& note() const;
  /// The handle, for the application's own commands; null for kCpu. No reference is added.
  WGPUDevice webgpu_device() const;
  WGPUInstance webgpu_instance() const;  ///< the same for the instance; null where adopt() got none
  /// True once the device is known to be lost: every call fails from then on.
  bool lost() const;

  /// Internal.
  struct Impl;
  const std::shared_ptr<Impl>& impl() const { return impl_; }
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace wgk::inline v0
