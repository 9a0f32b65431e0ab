// Records, submits and times passes.
#include "gpu/pass_timer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/try.h"
#include "gpu/error_scope.h"
#include "gpu/submit.h"

namespace wgk::gpu {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

}  // namespace

Result<PassTimer> PassTimer::create(std::shared_ptr<GpuDevice> device) {
  PassTimer timer;
  if (device->profile().has_feature("timestamp-query")) {
    WGK_TRY(timer.timestamps_, Timestamps::create(device, kMostPasses));
  }
  timer.device_ = std::move(device);
  return timer;
}

Result<CommandBuffer> PassTimer::record(std::span<const BoundPlan* const> bound, std::uint32_t calls,
                                        const WGPUPassTimestampWrites* writes, double& encode_ns) {
  return record_commands(device_->context(), [&](const CommandEncoder& encoder) -> Status {
    WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    descriptor.timestampWrites = writes;
    const ComputePass pass(procs().wgpuCommandEncoderBeginComputePass(encoder.get(), &descriptor));
    if (!pass) return device_error("cannot begin a compute pass");
    const Clock::time_point start = Clock::now();
    for (std::uint32_t i = 0; i < calls; ++i) bound[i % bound.size()]->encode(pass.get());
    encode_ns = std::min(encode_ns, nanoseconds_since(start) / calls);
    procs().wgpuComputePassEncoderEnd(pass.get());
    return {};
  });
}

Result<double> PassTimer::wall_ns(std::span<const BoundPlan* const> bound, std::uint32_t calls, double& encode_ns) {
  DeviceContext& context = device_->context();
  WGK_TRY(CommandBuffer commands, record(bound, calls, nullptr, encode_ns));
  const Clock::time_point start = Clock::now();
  WGK_CHECK(submit(context, std::move(commands)));
  WGK_CHECK(wait_until_idle(context));
  return nanoseconds_since(start);
}

Result<PassTimes> PassTimer::time(std::span<const BoundPlan* const> bound, std::uint32_t calls, std::uint32_t passes) {
  PassTimes times;
  times.encode_ns = std::numeric_limits<double>::max();
  if (!timestamps_) {
    for (std::uint32_t i = 0; i < passes; ++i) {
      WGK_TRY(const double once, wall_ns(bound, calls, times.encode_ns));
      WGK_TRY(const double twice, wall_ns(bound, calls * 2, times.encode_ns));
      times.pass_ns.push_back(std::max(0.0, twice - once));
    }
    return times;
  }
  DeviceContext& context = device_->context();
  timestamps_->reset();
  for (std::uint32_t i = 0; i < passes; ++i) {
    const auto writes = timestamps_->next();
    WGK_TRY(CommandBuffer commands, record(bound, calls, writes ? &*writes : nullptr, times.encode_ns));
    WGK_CHECK(submit(context, std::move(commands)));
  }
  WGK_CHECK(wait_until_idle(context));
  WGK_TRY(times.pass_ns, timestamps_->resolve(context.timeout));
  return times;
}

}  // namespace wgk::gpu
