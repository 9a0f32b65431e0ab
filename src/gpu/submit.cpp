// Handing commands to the GPU and waiting for it.
#include "gpu/submit.h"

#include <memory>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"

namespace wgk::gpu {
namespace {

using DoneReply = Reply<WGPUQueueWorkDoneStatus>;

void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void* userdata, void*) noexcept {
  deliver(userdata, status, message);
}

}  // namespace

Status wait_for_gpu(DeviceContext& context, const std::atomic<bool>& arrived) {
  if (context.wait(arrived, context.timeout)) return {};
  const std::string reason = fmt::format("the GPU work did not end within {} ms", context.timeout.count());
  context.events.report_lost(reason);
  context.hung = true;
  return device_error(reason + "; the device cannot be used any more, open it again");
}

Status submit(DeviceContext& context, CommandBuffer commands) {
  // wgpu-native ends the process when a submission is refused. Commands were validated when they were finished, which
  // leaves a lost device as the one known cause.
  WGK_CHECK(check_not_lost(context));
  ErrorScope scope(context);
  const WGPUCommandBuffer raw = commands.get();
  procs().wgpuQueueSubmit(context.queue.get(), 1, &raw);
  return scope.end("cannot submit the work");
}

Status wait_until_idle(DeviceContext& context) {
  const auto reply = std::make_shared<DoneReply>();
  WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = on_done;
  info.userdata1 = reply_userdata(reply);
  procs().wgpuQueueOnSubmittedWorkDone(context.queue.get(), info);
  WGK_CHECK(wait_for_gpu(context, reply->arrived));
  if (reply->payload == WGPUQueueWorkDoneStatus_Success) return {};
  WGK_CHECK(check_not_lost(context));
  return device_error(fmt::format("the GPU work failed: {}", tidy_message(reply->message)));
}

}  // namespace wgk::gpu
