// Handing commands to the GPU and waiting for it.
#pragma once

#include <atomic>

#include <wgk/status.hpp>

#include "base/try.h"
#include "gpu/context.h"
#include "gpu/error_scope.h"

namespace wgk::gpu {

/// Waits until a callback that depends on GPU work has arrived. After the time-out of the context the device counts as
/// lost: the work still runs and nothing can stop it.
Status wait_for_gpu(DeviceContext& context, const std::atomic<bool>& arrived);

/// Encodes in one scope what `record` records. Errors in commands surface when they are finished, so this is the last
/// chance to catch them: submitting commands with an error ends the process.
template <typename Record>
Result<CommandBuffer> record_commands(DeviceContext& context, Record&& record) {
  ErrorScope scope(context);
  const CommandEncoder encoder(procs().wgpuDeviceCreateCommandEncoder(context.device.get(), nullptr));
  if (!encoder) return device_error("cannot create a command encoder");
  WGK_CHECK(record(encoder));
  CommandBuffer commands(procs().wgpuCommandEncoderFinish(encoder.get(), nullptr));
  WGK_CHECK(scope.end("the commands are invalid"));
  if (!commands) return device_error("the commands could not be finished");
  return commands;
}

/// Submits the commands.
Status submit(DeviceContext& context, CommandBuffer commands);

/// Waits until everything submitted has been done.
Status wait_until_idle(DeviceContext& context);

}  // namespace wgk::gpu
