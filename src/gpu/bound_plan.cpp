// Checks the buffers of a call, makes its bind groups, and records it.
#include "gpu/bound_plan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/aliasing.h"
#include "gpu/error_scope.h"
#include "gpu/plan_check.h"
#include "gpu/submit.h"

namespace wgk::gpu {
namespace {

Error refused(const Plan& plan, std::string_view key, const std::string& reason) {
  return Error{ErrorCode::kRequest, fmt::format("{}: {}: {}", plan.op, key, reason)};
}

/// The binding of a tensor in some pass that runs; nullptr where none looks at it.
const PlanBinding* binding_of(const PreparedPlan& prepared, std::uint32_t tensor) {
  for (const PreparedPlan::Step& step : prepared.steps()) {
    for (const PlanBinding& binding : step.pass->bindings) {
      if (binding.source == PlanBinding::Source::kTensor && binding.index == tensor) return &binding;
    }
  }
  return nullptr;
}

Status check_range(const PreparedPlan& prepared, const PlanTensor& tensor, const PlanBinding& binding,
                   const BufferRange& range) {
  const Plan& plan = prepared.plan();
  if (range.buffer == nullptr) return refused(plan, tensor.key, "no buffer is bound");
  const std::uint64_t whole = procs().wgpuBufferGetSize(range.buffer);
  if (range.offset > whole || range.size > whole - range.offset) {
    return refused(plan, tensor.key,
                   fmt::format("bytes {} to {} lie outside the buffer of {} bytes", range.offset,
                               range.size > ~range.offset ? ~std::uint64_t{0} : range.offset + range.size, whole));
  }
  const std::uint64_t available = range.size == 0 ? whole - range.offset : range.size;
  if (available < binding.size_bytes) {
    return refused(plan, tensor.key,
                   fmt::format("{} bytes are bound, but {} {} needs {}", available, dtype_name(tensor.format.storage),
                               to_string(tensor.shape), binding.size_bytes));
  }
  const std::uint64_t alignment = prepared.device()->profile().limit("minStorageBufferOffsetAlignment", 256);
  if (alignment > 0 && range.offset % alignment != 0) {
    return refused(plan, tensor.key,
                   fmt::format("offset {} must be a multiple of {}, the limit minStorageBufferOffsetAlignment of this "
                               "device",
                               range.offset, alignment));
  }
  if (binding.element_align > 0 && range.offset % binding.element_align != 0) {
    return refused(plan, tensor.key,
                   fmt::format("offset {} must be a multiple of {}, the size of {} that variant '{}' reads; prepare "
                               "the call with this offset, so that another variant can be chosen",
                               range.offset, binding.element_align, binding.element_type, plan.variant));
  }
  if ((procs().wgpuBufferGetUsage(range.buffer) & WGPUBufferUsage_Storage) == 0) {
    return refused(plan, tensor.key, "the buffer lacks the usage WGPUBufferUsage_Storage");
  }
  return {};
}

Status check_ranges(const PreparedPlan& prepared, std::span<const BufferRange> tensors) {
  const Plan& plan = prepared.plan();
  if (tensors.size() != plan.tensors.size()) {
    return device_error(
        fmt::format("{}: {} tensors given, the plan has {}", place(plan), tensors.size(), plan.tensors.size()));
  }
  for (std::uint32_t i = 0; i < tensors.size(); ++i) {
    const PlanBinding* binding = binding_of(prepared, i);
    if (binding != nullptr) WGK_CHECK(check_range(prepared, plan.tensors[i], *binding, tensors[i]));
  }
  return {};
}

struct Place {
  WGPUBuffer buffer = nullptr;
  std::uint64_t offset = 0;
  DType storage = DType::kUint32;
};

Place place_of(const PreparedPlan& prepared, const PlanBinding& binding, std::span<const BufferRange> tensors) {
  const std::uint32_t index = binding.index;
  switch (binding.source) {
    case PlanBinding::Source::kTensor:
      return {tensors[index].buffer, tensors[index].offset, prepared.plan().tensors[index].format.storage};
    case PlanBinding::Source::kScratch:
      return {prepared.scratch(index), 0, prepared.plan().scratch[index].storage};
    case PlanBinding::Source::kUniform:
      return {prepared.uniforms(), prepared.uniform_offset(index), DType::kUint32};
  }
  return {};
}

std::vector<ResolvedBinding> resolve(const PreparedPlan& prepared, const PlanPass& pass,
                                     std::span<const BufferRange> tensors) {
  std::vector<ResolvedBinding> resolved;
  for (const PlanBinding& binding : pass.bindings) {
    const Place at = place_of(prepared, binding, tensors);
    resolved.push_back({binding.name, binding.access, at.buffer, at.offset, binding.size_bytes, at.storage});
  }
  return resolved;
}

Result<BindGroup> create_group(const PreparedPlan& prepared, const PreparedPlan::Step& step,
                               std::span<const BufferRange> tensors) {
  std::vector<WGPUBindGroupEntry> entries;
  for (const PlanBinding& binding : step.pass->bindings) {
    const Place at = place_of(prepared, binding, tensors);
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.buffer = at.buffer;
    entry.offset = at.offset;
    entry.size = binding.size_bytes;
    entries.push_back(entry);
  }
  WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu(step.pass->id);
  descriptor.layout = step.pipeline->layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  DeviceContext& context = prepared.device()->context();
  return create_checked<BindGroup>(context, "cannot create the bind group", [&] {
    return procs().wgpuDeviceCreateBindGroup(context.device.get(), &descriptor);
  });
}

}  // namespace

Result<BoundPlan> BoundPlan::create(std::shared_ptr<const PreparedPlan> prepared,
                                    std::span<const BufferRange> tensors) {
  WGK_CHECK(check_not_lost(prepared->device()->context()));
  WGK_CHECK(check_ranges(*prepared, tensors));
  const Plan& plan = prepared->plan();
  BoundPlan bound;
  for (const PreparedPlan::Step& step : prepared->steps()) {
    const std::vector<ResolvedBinding> resolved = resolve(*prepared, *step.pass, tensors);
    if (is_view_alias_no_op(step.pass->view_alias, resolved)) continue;
    WGK_CHECK(check_aliasing(plan, *step.pass, resolved));
    Result<BindGroup> group = create_group(*prepared, step, tensors);
    if (!group.ok()) {
      Error error = std::move(group).error();
      error.message = fmt::format("{}: {}", place(plan, *step.pass), error.message);
      return error;
    }
    bound.groups_.push_back(*std::move(group));
    bound.steps_.push_back(
        {step.pipeline->compute.get(), bound.groups_.back().get(), step.pass->workgroups, step.pass->submit_after});
  }
  for (const BufferRange& range : tensors) {
    if (range.buffer == nullptr) continue;
    procs().wgpuBufferAddRef(range.buffer);
    bound.buffers_.emplace_back(range.buffer);
  }
  bound.prepared_ = std::move(prepared);
  return bound;
}

void BoundPlan::encode(WGPUComputePassEncoder pass, std::span<const Step> steps) noexcept {
  const Procs& wgpu = procs();
  for (const Step& step : steps) {
    wgpu.wgpuComputePassEncoderSetPipeline(pass, step.pipeline);
    wgpu.wgpuComputePassEncoderSetBindGroup(pass, 0, step.group, 0, nullptr);
    wgpu.wgpuComputePassEncoderDispatchWorkgroups(pass, step.workgroups[0], step.workgroups[1], step.workgroups[2]);
  }
}

bool BoundPlan::encode(WGPUCommandEncoder encoder, std::span<const Step> steps,
                       const WGPUPassTimestampWrites* timestamps) noexcept {
  WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
  descriptor.timestampWrites = timestamps;
  const ComputePass pass(procs().wgpuCommandEncoderBeginComputePass(encoder, &descriptor));
  if (!pass) return false;
  encode(pass.get(), steps);
  procs().wgpuComputePassEncoderEnd(pass.get());
  return true;
}

void BoundPlan::encode(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* timestamps) const noexcept {
  // An encoder that cannot begin a pass is invalid, which its finish() reports to the application.
  if (!steps_.empty()) static_cast<void>(encode(encoder, steps_, timestamps));
}

Status BoundPlan::submit(const WGPUPassTimestampWrites* timestamps) const {
  DeviceContext& context = prepared_->device()->context();
  std::span<const Step> rest = steps_;
  while (!rest.empty()) {
    const auto last = std::find_if(rest.begin(), rest.end(), [](const Step& step) { return step.submit_after; });
    const auto count = static_cast<std::size_t>(last == rest.end() ? last - rest.begin() : last - rest.begin() + 1);
    auto commands = record_commands(context, [&](const CommandEncoder& encoder) -> Status {
      if (encode(encoder.get(), rest.first(count), timestamps)) return {};
      return device_error("cannot begin a compute pass");
    });
    Status status = commands.ok() ? gpu::submit(context, *std::move(commands)) : std::move(commands).error();
    rest = rest.subspan(count);
    if (status.ok() && !rest.empty()) status = wait_until_idle(context);
    if (!status.ok()) {
      return device_error(fmt::format("{}: {}", place(prepared_->plan()), status.error().message));
    }
  }
  return {};
}

}  // namespace wgk::gpu
