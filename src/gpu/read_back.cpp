// Copying results from the GPU to host memory through mappable staging buffers.
#include "gpu/read_back.h"

#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"
#include "gpu/plan_check.h"
#include "gpu/submit.h"

namespace wgk::gpu {
namespace {

using MapReply = Reply<WGPUMapAsyncStatus>;

void on_mapped(WGPUMapAsyncStatus status, WGPUStringView message, void* userdata, void*) noexcept {
  deliver(userdata, status, message);
}

std::shared_ptr<MapReply> start_mapping(const Buffer& staging, std::size_t size) {
  auto reply = std::make_shared<MapReply>();
  WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = on_mapped;
  info.userdata1 = reply_userdata(reply);
  procs().wgpuBufferMapAsync(staging.get(), WGPUMapMode_Read, 0, size, info);
  return reply;
}

}  // namespace

Result<ReadBack> ReadBack::create(DeviceContext& context, const Plan& plan) {
  ReadBack result;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlanTensor& tensor = plan.tensors[i];
    if (!tensor.is_output) continue;
    WGK_TRY(Buffer staging, create_buffer(context, tensor.key, tensor.storage_bytes,
                                          WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
    result.outputs_.push_back({i, static_cast<std::size_t>(tensor.storage_bytes), std::move(staging)});
  }
  return result;
}

void ReadBack::encode(const CommandEncoder& encoder, const CallBuffers& buffers) const {
  for (const Output& output : outputs_) {
    procs().wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), buffers.tensors[output.tensor].get(), 0,
                                                 output.staging.get(), 0, buffer_size(output.bytes));
  }
}

Result<std::vector<std::vector<std::byte>>> ReadBack::collect(DeviceContext& context) const {
  ErrorScope scope(context);
  std::vector<std::shared_ptr<MapReply>> replies;
  for (const Output& output : outputs_) {
    replies.push_back(start_mapping(output.staging, static_cast<std::size_t>(buffer_size(output.bytes))));
  }
  WGK_CHECK(scope.end("cannot read the results back"));

  for (const auto& reply : replies) {
    WGK_CHECK(wait_for_gpu(context, reply->arrived));
    if (reply->payload != WGPUMapAsyncStatus_Success) {
      WGK_CHECK(check_not_lost(context));
      return device_error(fmt::format("cannot read the results back: {}", tidy_message(reply->message)));
    }
  }

  std::vector<std::vector<std::byte>> results;
  for (const Output& output : outputs_) {
    const void* mapped = procs().wgpuBufferGetConstMappedRange(output.staging.get(), 0,
                                                               static_cast<std::size_t>(buffer_size(output.bytes)));
    if (mapped == nullptr) return device_error("cannot read the results back: no mapped memory");
    const auto* first = static_cast<const std::byte*>(mapped);
    results.emplace_back(first, first + output.bytes);
  }
  return results;
}

}  // namespace wgk::gpu
