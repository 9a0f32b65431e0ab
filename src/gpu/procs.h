// The table of WebGPU functions that this layer calls. Tests replace entries to count references, to record calls and
// to make the N-th call fail.
#pragma once

#include "gpu/webgpu_api.h"

namespace wgk::gpu {

// Functions missing here are missing on purpose where wgpu-native 29 ends the process when they are called:
// wgpuInstanceWaitAny, wgpuInstanceGetWGSLLanguageFeatures, wgpuShaderModuleGetCompilationInfo,
// wgpuDeviceGetAdapterInfo, wgpuDeviceCreateComputePipelineAsync.
#define WGK_WEBGPU_PROCS(X)                   \
  X(wgpuCreateInstance)                       \
  X(wgpuInstanceRelease)                      \
  X(wgpuInstanceProcessEvents)                \
  X(wgpuInstanceRequestAdapter)               \
  X(wgpuInstanceEnumerateAdapters)            \
  X(wgpuInstanceAddRef)                       \
  X(wgpuAdapterGetInfo)                       \
  X(wgpuAdapterInfoFreeMembers)               \
  X(wgpuAdapterGetFeatures)                   \
  X(wgpuAdapterGetLimits)                     \
  X(wgpuAdapterRequestDevice)                 \
  X(wgpuAdapterRelease)                       \
  X(wgpuSupportedFeaturesFreeMembers)         \
  X(wgpuDeviceGetQueue)                       \
  X(wgpuDevicePoll)                           \
  X(wgpuDevicePushErrorScope)                 \
  X(wgpuDevicePopErrorScope)                  \
  X(wgpuDeviceCreateBuffer)                   \
  X(wgpuDeviceCreateShaderModule)             \
  X(wgpuDeviceCreateBindGroupLayout)          \
  X(wgpuDeviceCreatePipelineLayout)           \
  X(wgpuDeviceCreateComputePipeline)          \
  X(wgpuDeviceCreateBindGroup)                \
  X(wgpuDeviceCreateCommandEncoder)           \
  X(wgpuDeviceRelease)                        \
  X(wgpuDeviceAddRef)                         \
  X(wgpuDeviceGetFeatures)                    \
  X(wgpuDeviceGetLimits)                      \
  X(wgpuDeviceCreateQuerySet)                 \
  X(wgpuQueueWriteBuffer)                     \
  X(wgpuQueueSubmit)                          \
  X(wgpuQueueOnSubmittedWorkDone)             \
  X(wgpuQueueRelease)                         \
  X(wgpuQueueGetTimestampPeriod)              \
  X(wgpuQuerySetRelease)                      \
  X(wgpuBufferMapAsync)                       \
  X(wgpuBufferGetConstMappedRange)            \
  X(wgpuBufferRelease)                        \
  X(wgpuBufferAddRef)                         \
  X(wgpuBufferGetSize)                        \
  X(wgpuBufferGetUsage)                       \
  X(wgpuBufferUnmap)                          \
  X(wgpuShaderModuleRelease)                  \
  X(wgpuBindGroupLayoutRelease)               \
  X(wgpuPipelineLayoutRelease)                \
  X(wgpuComputePipelineRelease)               \
  X(wgpuBindGroupRelease)                     \
  X(wgpuCommandEncoderClearBuffer)            \
  X(wgpuCommandEncoderCopyBufferToBuffer)     \
  X(wgpuCommandEncoderBeginComputePass)       \
  X(wgpuCommandEncoderFinish)                 \
  X(wgpuCommandEncoderRelease)                \
  X(wgpuCommandEncoderResolveQuerySet)        \
  X(wgpuComputePassEncoderSetPipeline)        \
  X(wgpuComputePassEncoderSetBindGroup)       \
  X(wgpuComputePassEncoderDispatchWorkgroups) \
  X(wgpuComputePassEncoderEnd)                \
  X(wgpuComputePassEncoderRelease)            \
  X(wgpuCommandBufferRelease)

/// Members carry the names of the C API, so that a search for "wgpu" finds every use of it.
struct Procs {
#define WGK_DECLARE_PROC(name) decltype(&::name) name = &::name;
  WGK_WEBGPU_PROCS(WGK_DECLARE_PROC)
#undef WGK_DECLARE_PROC
};

/// The table in use; the linked functions unless a test installed another one.
const Procs& procs();

/// Installs `replacement` for the life of this object. For tests: it must not change under a living GpuDevice of
/// another thread, and `replacement` must outlive it.
class ProcsOverride {
 public:
  explicit ProcsOverride(const Procs& replacement);
  ~ProcsOverride();
  ProcsOverride(const ProcsOverride&) = delete;
  ProcsOverride& operator=(const ProcsOverride&) = delete;

 private:
  const Procs* previous_;
};

}  // namespace wgk::gpu
