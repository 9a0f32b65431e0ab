// Timestamp queries: made once, resolved when somebody asks.
#include "gpu/timestamps.h"

#include <cstring>
#include <utility>

#include "base/try.h"
#include "gpu/call_buffers.h"
#include "gpu/error_scope.h"
#include "gpu/submit.h"
#include "gpu/transfer.h"

namespace wgk::gpu {

Result<Timestamps> Timestamps::create(std::shared_ptr<GpuDevice> device, std::uint32_t pairs) {
  // WebGPU specification, "GPUQuerySetDescriptor": at most 4096 queries in a set.
  constexpr std::uint32_t kMostPairs = 2048;
  if (pairs == 0 || pairs > kMostPairs) {
    return Error{ErrorCode::kUsage, "a profiler times between 1 and 2048 calls"};
  }
  DeviceContext& context = device->context();
  WGK_CHECK(check_not_lost(context));
  if (!context.profile.has_feature("timestamp-query")) {
    return device_error("times need the device feature timestamp-query, which this device lacks");
  }
  WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu("wgk profiler");
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = pairs * 2;
  Timestamps timestamps;
  WGK_TRY(timestamps.queries_, create_checked<QuerySet>(context, "cannot create timestamp queries", [&] {
            return procs().wgpuDeviceCreateQuerySet(context.device.get(), &descriptor);
          }));
  WGK_TRY(timestamps.resolved_, create_buffer(context, "timestamps", std::uint64_t{pairs} * 16,
                                              WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc));
  timestamps.pairs_ = pairs;
  timestamps.device_ = std::move(device);
  return timestamps;
}

std::optional<WGPUPassTimestampWrites> Timestamps::next() {
  if (used_ == pairs_) return std::nullopt;
  WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
  writes.querySet = queries_.get();
  writes.beginningOfPassWriteIndex = used_ * 2;
  writes.endOfPassWriteIndex = used_ * 2 + 1;
  ++used_;
  return writes;
}

Result<std::vector<double>> Timestamps::resolve(Timeout timeout) const {
  if (used_ == 0) return std::vector<double>{};
  DeviceContext& context = device_->context();
  WGK_CHECK(check_not_lost(context));
  WGK_TRY(CommandBuffer commands, record_commands(context, [&](const CommandEncoder& encoder) -> Status {
            procs().wgpuCommandEncoderResolveQuerySet(encoder.get(), queries_.get(), 0, used_ * 2, resolved_.get(), 0);
            return {};
          }));
  WGK_CHECK(submit(context, std::move(commands)));
  WGK_TRY(PendingRead read, PendingRead::start(device_, resolved_.get(), 0, std::uint64_t{used_} * 16));
  WGK_TRY(const std::vector<std::byte> bytes, read.get(timeout));

  const double period = static_cast<double>(procs().wgpuQueueGetTimestampPeriod(context.queue.get()));
  std::vector<double> times;
  times.reserve(used_);
  for (std::uint32_t i = 0; i < used_; ++i) {
    std::uint64_t begin_end[2];
    std::memcpy(begin_end, bytes.data() + std::size_t{i} * sizeof(begin_end), sizeof(begin_end));
    // Some drivers step back between passes; a negative time would help nobody.
    times.push_back(begin_end[1] > begin_end[0] ? static_cast<double>(begin_end[1] - begin_end[0]) * period : 0);
  }
  return times;
}

}  // namespace wgk::gpu
