// Opening devices: the chain GPU, software adapter, CPU path.
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <wgk/device.hpp>

#include "base/try.h"
#include "runtime/device_impl.h"

namespace wgk::inline v0 {
namespace {

using Impl = Device::Impl;

Device cpu_device(DeviceProfile profile, std::string note, unsigned threads = 0) {
  auto impl = std::make_shared<Impl>();
  impl->threads = std::make_unique<cpu::ThreadPool>(threads);
  impl->profile = std::move(profile);
  impl->note = std::move(note);
  return Device(std::move(impl));
}

DeviceProfile cpu_profile() {
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.features.insert("shader-f16");  // the CPU path computes every dtype
  return profile;
}

Result<Device> open_adapter(const DeviceOptions& options) {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, gpu::GpuDevice::open(options));
  gpu->set_timeout(options.timeout);
  gpu->set_max_call_bytes(options.max_call_bytes);
  auto impl = std::make_shared<Impl>();
  impl->tuning = options.tuning;
  impl->kind = gpu->is_software() ? DeviceKind::kSoftware : DeviceKind::kGpu;
  impl->profile = gpu->profile();
  impl->gpu = std::move(gpu);
  return Device(std::move(impl));
}

std::string describe(const DeviceProfile& profile) {
  return fmt::format("{} ({})", profile.adapter.device, profile.adapter.backend);
}

/// The note says which device was taken, and why a better one was not.
Result<Device> open_best(const DeviceOptions& options) {
  DeviceOptions wanted = options;
  wanted.kind = DeviceKind::kAuto;
  auto best = open_adapter(wanted);
  if (best) {
    const bool software = best->kind() == DeviceKind::kSoftware;
    best->impl()->note = software
                             ? fmt::format("no GPU found; using the software adapter {}", describe(best->profile()))
                             : fmt::format("using {}", describe(best->profile()));
    return best;
  }
  // An adapter may be there and yet give no device; a software one may still.
  wanted.kind = DeviceKind::kSoftware;
  if (auto software = open_adapter(wanted)) {
    software->impl()->note =
        fmt::format("using the software adapter {}: {}", describe(software->profile()), best.error().message);
    return software;
  }
  // A name that nothing matches is a mistake to report, not a reason to compute elsewhere.
  if (!options.adapter_name.empty()) return std::move(best).error();
  return cpu_device(cpu_profile(), fmt::format("using the CPU: {}", best.error().message), options.cpu_threads);
}

}  // namespace

Result<Device> Device::open(const DeviceOptions& options) {
  switch (options.kind) {
    case DeviceKind::kCpu:
      return cpu_device(cpu_profile(), {}, options.cpu_threads);
    case DeviceKind::kAuto:
      return open_best(options);
    case DeviceKind::kGpu:
    case DeviceKind::kSoftware:
      break;
  }
  return open_adapter(options);
}

Result<Device> Device::adopt(WGPUInstance instance, WGPUDevice device, const AdoptOptions& options) {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu,
          gpu::GpuDevice::adopt({instance, device, options.adapter, !options.application_polls}));
  gpu->set_timeout(options.timeout);
  gpu->set_max_call_bytes(options.max_call_bytes);
  auto impl = std::make_shared<Impl>();
  impl->tuning = options.tuning;
  impl->kind = gpu->is_software() ? DeviceKind::kSoftware : DeviceKind::kGpu;
  impl->profile = gpu->profile();
  impl->note = "using a device of the application";
  impl->gpu = std::move(gpu);
  return Device(std::move(impl));
}

Result<std::vector<AdapterListing>> Device::list_adapters() {
  WGK_TRY(std::vector<gpu::FoundAdapter> found, gpu::enumerate_adapters());
  std::vector<AdapterListing> listings;
  listings.reserve(found.size());
  for (gpu::FoundAdapter& adapter : found) {
    listings.push_back({adapter.software ? DeviceKind::kSoftware : DeviceKind::kGpu, std::move(adapter.profile)});
  }
  return listings;
}

Device Device::for_profile(DeviceProfile profile) { return cpu_device(std::move(profile), {}); }

DeviceKind Device::kind() const { return impl_->kind; }
const DeviceProfile& Device::profile() const { return impl_->profile; }
const std::string& Device::note() const { return impl_->note; }
WGPUDevice Device::webgpu_device() const { return impl_->gpu ? impl_->gpu->context().device.get() : nullptr; }
WGPUInstance Device::webgpu_instance() const { return impl_->gpu ? impl_->gpu->context().instance.get() : nullptr; }
bool Device::lost() const { return impl_->gpu && impl_->gpu->context().events.lost(); }

}  // namespace wgk::inline v0
