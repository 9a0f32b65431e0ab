// Owners of WebGPU objects: move-only, and each reference is released exactly once.
#pragma once

#include <utility>

#include "gpu/procs.h"

namespace wgk::gpu {

template <typename Raw, auto ReleaseProc>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Raw raw) : raw_(raw) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }

  Raw get() const { return raw_; }
  explicit operator bool() const { return raw_ != nullptr; }
  void reset() {
    if (raw_ != nullptr) (procs().*ReleaseProc)(std::exchange(raw_, nullptr));
  }

 private:
  Raw raw_ = nullptr;
};

using Instance = Handle<WGPUInstance, &Procs::wgpuInstanceRelease>;
using Adapter = Handle<WGPUAdapter, &Procs::wgpuAdapterRelease>;
using DeviceHandle = Handle<WGPUDevice, &Procs::wgpuDeviceRelease>;
using Queue = Handle<WGPUQueue, &Procs::wgpuQueueRelease>;
using Buffer = Handle<WGPUBuffer, &Procs::wgpuBufferRelease>;
using ShaderModule = Handle<WGPUShaderModule, &Procs::wgpuShaderModuleRelease>;
using BindGroupLayout = Handle<WGPUBindGroupLayout, &Procs::wgpuBindGroupLayoutRelease>;
using PipelineLayout = Handle<WGPUPipelineLayout, &Procs::wgpuPipelineLayoutRelease>;
using ComputePipeline = Handle<WGPUComputePipeline, &Procs::wgpuComputePipelineRelease>;
using BindGroup = Handle<WGPUBindGroup, &Procs::wgpuBindGroupRelease>;
using CommandEncoder = Handle<WGPUCommandEncoder, &Procs::wgpuCommandEncoderRelease>;
using ComputePass = Handle<WGPUComputePassEncoder, &Procs::wgpuComputePassEncoderRelease>;
using QuerySet = Handle<WGPUQuerySet, &Procs::wgpuQuerySetRelease>;
using CommandBuffer = Handle<WGPUCommandBuffer, &Procs::wgpuCommandBufferRelease>;

}  // namespace wgk::gpu
