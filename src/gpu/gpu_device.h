// A WebGPU device that runs Plans.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/device_profile.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "gpu/buffer_pool.h"
#include "gpu/context.h"
#include "gpu/pipeline_cache.h"

namespace wgk::gpu {

/// One adapter that was found, with the profile its device would have.
struct FoundAdapter {
  bool software = false;
  DeviceProfile profile;
};

/// Every adapter, hardware first. Error: kDevice when the implementation itself cannot start.
Result<std::vector<FoundAdapter>> enumerate_adapters();

/// An application's device to work on. Its objects stay alive while the GpuDevice does; it is never destroyed.
struct AdoptedDevice {
  WGPUInstance instance = nullptr;  ///< null: only the device is polled
  WGPUDevice device = nullptr;
  WGPUAdapter adapter = nullptr;  ///< null: the profile says nothing about the adapter
  bool polls = true;              ///< false: the application runs the event loop
};

/// Owns references to instance, adapter, device and queue, and the pipelines made on it. Any thread; the functions
/// lock where WebGPU has state per device.
class GpuDevice {
 public:
  /// Opens the best adapter of the kind (kAuto, kGpu or kSoftware) whose name contains `options.adapter_name`.
  static Result<std::shared_ptr<GpuDevice>> open(const DeviceOptions& options);
  static Result<std::shared_ptr<GpuDevice>> adopt(const AdoptedDevice& given);
  ~GpuDevice();

  const DeviceProfile& profile() const;
  bool is_software() const;

  /// Runs a plan. `inputs[i]` holds the storage bytes of the i-th tensor of the plan that is an input, in the order of
  /// Plan::tensors; each has exactly storage_bytes bytes. Returns the storage bytes of every output tensor in the order
  /// of Plan::tensors. Uploads, dispatches, waits and reads back. Error: kDevice, with op, variant and pass.
  Result<std::vector<std::vector<std::byte>>> run(const Plan& plan, std::span<const std::span<const std::byte>> inputs);

  /// How long calls wait for the GPU before it gives up with kDevice; the device is unusable from then on, because GPU
  /// work cannot be stopped. Zero: no limit. Default: 60 seconds.
  void set_timeout(std::chrono::milliseconds timeout);

  /// Most GPU memory that a call may make wgk take: for run() tensors, scratch, uniforms and read-back, for a prepared
  /// plan scratch and uniforms. Default: limits::kMaxCallBytes.
  void set_max_call_bytes(std::uint64_t bytes);

  /// Number of pipelines compiled so far; a pipeline is compiled again only
  /// when WGSL, entry point or bind group layout differ, or after 256 others were used.
  std::size_t pipeline_count() const;

  /// What the other parts of this layer work with.
  DeviceContext& context() const;
  PipelineCache& pipelines() const;
  BufferPool& scratch_pool() const;
  BufferPool& staging_pool() const;

 private:
  struct State;
  explicit GpuDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wgk::gpu
