// Creates the buffers of a call and uploads what the host gives.
#include "gpu/call_buffers.h"

#include <string_view>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"
#include "gpu/plan_check.h"
#include "gpu/transfer.h"

namespace wgk::gpu {
namespace {

constexpr WGPUBufferUsage kTensorUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;
constexpr WGPUBufferUsage kScratchUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst;
constexpr WGPUBufferUsage kUniformUsage = WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst;

struct Needed {
  std::vector<bool> tensors;
  std::vector<bool> scratch;
  std::vector<bool> uniforms;
};

Needed needed_buffers(const Plan& plan) {
  Needed needed{std::vector<bool>(plan.tensors.size()), std::vector<bool>(plan.scratch.size()),
                std::vector<bool>(plan.uniforms.size())};
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) needed.tensors[i] = plan.tensors[i].is_output;
  for (const PlanPass& pass : plan.passes) {
    if (pass.skipped()) continue;
    for (const PlanBinding& binding : pass.bindings) {
      switch (binding.source) {
        case PlanBinding::Source::kTensor:
          needed.tensors[binding.index] = true;
          break;
        case PlanBinding::Source::kScratch:
          needed.scratch[binding.index] = true;
          break;
        case PlanBinding::Source::kUniform:
          needed.uniforms[binding.index] = true;
          break;
      }
    }
  }
  return needed;
}

}  // namespace

WGPUBuffer CallBuffers::of(const PlanBinding& binding) const {
  switch (binding.source) {
    case PlanBinding::Source::kTensor:
      return tensors[binding.index].get();
    case PlanBinding::Source::kScratch:
      return scratch[binding.index].get();
    case PlanBinding::Source::kUniform:
      return uniforms[binding.index].get();
  }
  return nullptr;
}

Result<Buffer> create_buffer(DeviceContext& context, std::string_view label, std::uint64_t bytes,
                             WGPUBufferUsage usage) {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu(label);
  descriptor.usage = usage;
  descriptor.size = buffer_size(bytes);
  const std::string what = fmt::format("cannot create a buffer of {} bytes for '{}'", descriptor.size, label);
  return create_checked<Buffer>(context, what,
                                [&] { return procs().wgpuDeviceCreateBuffer(context.device.get(), &descriptor); });
}

Result<CallBuffers> create_call_buffers(DeviceContext& context, const Plan& plan,
                                        std::span<const std::span<const std::byte>> inputs) {
  const Needed needed = needed_buffers(plan);
  CallBuffers buffers;
  buffers.tensors.resize(plan.tensors.size());
  buffers.scratch.resize(plan.scratch.size());
  buffers.uniforms.resize(plan.uniforms.size());

  std::size_t next_input = 0;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlanTensor& tensor = plan.tensors[i];
    const std::span<const std::byte> input = tensor.is_input ? inputs[next_input++] : std::span<const std::byte>();
    if (!needed.tensors[i]) continue;
    WGK_TRY(buffers.tensors[i], create_buffer(context, tensor.key, tensor.storage_bytes, kTensorUsage));
    if (!input.empty()) WGK_CHECK(write_buffer(context, buffers.tensors[i].get(), 0, input, tensor.key));
  }
  for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
    if (!needed.scratch[i]) continue;
    const PlanScratch& scratch = plan.scratch[i];
    WGK_TRY(buffers.scratch[i], create_buffer(context, scratch.id, scratch.storage_bytes, kScratchUsage));
  }
  for (std::size_t i = 0; i < plan.uniforms.size(); ++i) {
    if (!needed.uniforms[i]) continue;
    const PlanUniform& uniform = plan.uniforms[i];
    WGK_TRY(buffers.uniforms[i], create_buffer(context, uniform.struct_name, uniform.bytes.size(), kUniformUsage));
    WGK_CHECK(write_buffer(context, buffers.uniforms[i].get(), 0, uniform.bytes, uniform.struct_name));
  }
  return buffers;
}

}  // namespace wgk::gpu
