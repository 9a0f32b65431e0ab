// Taking part in a device of the application: references are added and released, nothing is destroyed, and its
// callbacks for errors and loss stay the application's.
#include "gpu/adopt.h"

#include <utility>

#include "base/try.h"
#include "gpu/device_facts.h"
#include "gpu/error_scope.h"

namespace wgk::gpu {

Result<std::unique_ptr<DeviceContext>> adopt_device(const AdoptedDevice& given) {
  if (given.device == nullptr) return Error{ErrorCode::kUsage, "the WGPUDevice to adopt is null"};
  auto context = std::make_unique<DeviceContext>();
  if (given.instance != nullptr) {
    procs().wgpuInstanceAddRef(given.instance);
    context->instance = Instance(given.instance);
  }
  procs().wgpuDeviceAddRef(given.device);
  context->device = DeviceHandle(given.device);
  context->queue = Queue(procs().wgpuDeviceGetQueue(given.device));
  if (!context->queue) return device_error("the WebGPU device has no queue");
  WGK_TRY(context->profile, read_device(given.device));
  if (given.adapter != nullptr) {
    WGK_TRY(AdapterFacts facts, read_adapter(given.adapter));
    context->profile.adapter = std::move(facts.profile.adapter);
    context->software = facts.type == WGPUAdapterType_CPU;
  }
  context->polls = given.polls;
  return context;
}

}  // namespace wgk::gpu
