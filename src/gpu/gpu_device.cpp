// The face of this layer: opens devices and runs plans on them.
#include "gpu/gpu_device.h"

#include <mutex>
#include <new>

#include "base/try.h"
#include "gpu/adapter.h"
#include "gpu/adopt.h"
#include "gpu/error_scope.h"
#include "gpu/execute.h"
#include "gpu/pipeline_cache.h"

namespace wgk::gpu {

struct GpuDevice::State {
  explicit State(std::unique_ptr<DeviceContext> opened) : context(std::move(opened)) {}

  std::unique_ptr<DeviceContext> context;
  PipelineCache pipelines;
  BufferPool scratch{"scratch", WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst};
  BufferPool staging{"staging", WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst};
};

namespace {

// Keeps the state of a hung device reachable until the process ends. Releasing it would wait for work that may never
// end, and its callbacks may still come.
template <typename T>
void abandon(std::unique_ptr<T> state) {
  static std::mutex mutex;
  static auto* const abandoned = new std::vector<std::unique_ptr<T>>;
  const std::lock_guard lock(mutex);
  abandoned->push_back(std::move(state));
}

}  // namespace

GpuDevice::GpuDevice(std::unique_ptr<State> state) : state_(std::move(state)) {}

GpuDevice::~GpuDevice() {
  if (state_->context->hung) abandon(std::move(state_));
}

Result<std::vector<FoundAdapter>> enumerate_adapters() {
  WGK_TRY(const Instance instance, create_instance());
  WGK_TRY(std::vector<OpenAdapter> adapters, all_adapters(instance));
  std::vector<FoundAdapter> found;
  for (OpenAdapter& adapter : adapters) {
    found.push_back({adapter.facts.type == WGPUAdapterType_CPU, std::move(adapter.facts.profile)});
  }
  return found;
}

Result<std::shared_ptr<GpuDevice>> GpuDevice::open(const DeviceOptions& options) {
  WGK_TRY(std::unique_ptr<DeviceContext> context, open_device(options));
  return std::shared_ptr<GpuDevice>(new GpuDevice(std::make_unique<State>(std::move(context))));
}

Result<std::shared_ptr<GpuDevice>> GpuDevice::adopt(const AdoptedDevice& given) {
  WGK_TRY(std::unique_ptr<DeviceContext> context, adopt_device(given));
  return std::shared_ptr<GpuDevice>(new GpuDevice(std::make_unique<State>(std::move(context))));
}

DeviceContext& GpuDevice::context() const { return *state_->context; }
PipelineCache& GpuDevice::pipelines() const { return state_->pipelines; }
BufferPool& GpuDevice::scratch_pool() const { return state_->scratch; }
BufferPool& GpuDevice::staging_pool() const { return state_->staging; }

const DeviceProfile& GpuDevice::profile() const { return state_->context->profile; }
bool GpuDevice::is_software() const { return state_->context->software; }
void GpuDevice::set_timeout(std::chrono::milliseconds timeout) { state_->context->timeout = timeout; }
void GpuDevice::set_max_call_bytes(std::uint64_t bytes) { state_->context->max_call_bytes = bytes; }
std::size_t GpuDevice::pipeline_count() const { return state_->pipelines.compiled(); }

Result<std::vector<std::vector<std::byte>>> GpuDevice::run(const Plan& plan,
                                                           std::span<const std::span<const std::byte>> inputs) {
  try {
    return execute(*state_->context, state_->pipelines, plan, inputs);
  } catch (const std::bad_alloc&) {
    return device_error(plan.op + ": not enough host memory");
  }
}

}  // namespace wgk::gpu
