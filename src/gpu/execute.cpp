// The life of a call: check, compile, upload, encode, submit, wait, read back.
#include "gpu/execute.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/aliasing.h"
#include "gpu/call_buffers.h"
#include "gpu/error_scope.h"
#include "gpu/plan_check.h"
#include "gpu/read_back.h"
#include "gpu/submit.h"

namespace wgk::gpu {
namespace {

Error at(const std::string& where, Error error) {
  error.message = where + ": " + error.message;
  return error;
}

/// A pass that will be dispatched.
struct Step {
  const PlanPass* pass = nullptr;
  std::shared_ptr<const Pipeline> pipeline;
  BindGroup group;
};

DType storage_of(const Plan& plan, const PlanBinding& binding) {
  switch (binding.source) {
    case PlanBinding::Source::kTensor:
      return plan.tensors[binding.index].format.storage;
    case PlanBinding::Source::kScratch:
      return plan.scratch[binding.index].storage;
    case PlanBinding::Source::kUniform:
      break;
  }
  return DType::kUint32;
}

std::vector<ResolvedBinding> resolve(const Plan& plan, const PlanPass& pass, const CallBuffers& buffers) {
  std::vector<ResolvedBinding> resolved;
  for (const PlanBinding& binding : pass.bindings) {
    resolved.push_back(
        {binding.name, binding.access, buffers.of(binding), 0, binding.size_bytes, storage_of(plan, binding)});
  }
  return resolved;
}

Result<BindGroup> create_bind_group(DeviceContext& context, const PlanPass& pass, const Pipeline& pipeline,
                                    const CallBuffers& buffers) {
  std::vector<WGPUBindGroupEntry> entries;
  for (const PlanBinding& binding : pass.bindings) {
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.buffer = buffers.of(binding);
    entry.size = binding.size_bytes;
    entries.push_back(entry);
  }
  WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu(pass.id);
  descriptor.layout = pipeline.layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  return create_checked<BindGroup>(context, "cannot create the bind group", [&] {
    return procs().wgpuDeviceCreateBindGroup(context.device.get(), &descriptor);
  });
}

Result<Step> make_step(DeviceContext& context, PipelineCache& pipelines, const PlanPass& pass,
                       const CallBuffers& buffers) {
  Step step;
  step.pass = &pass;
  WGK_TRY(step.pipeline, pipelines.get(context, pass));
  WGK_TRY(step.group, create_bind_group(context, pass, *step.pipeline, buffers));
  return step;
}

Result<std::vector<Step>> make_steps(DeviceContext& context, PipelineCache& pipelines, const Plan& plan,
                                     const CallBuffers& buffers) {
  std::vector<Step> steps;
  for (const PlanPass& pass : plan.passes) {
    if (pass.skipped()) continue;
    const std::vector<ResolvedBinding> resolved = resolve(plan, pass, buffers);
    if (is_view_alias_no_op(pass.view_alias, resolved)) continue;
    WGK_CHECK(check_aliasing(plan, pass, resolved));
    Result<Step> step = make_step(context, pipelines, pass, buffers);
    if (!step.ok()) return at(place(plan, pass), std::move(step).error());
    steps.push_back(*std::move(step));
  }
  return steps;
}

void encode_dispatch(const ComputePass& encoder, const Step& step) {
  procs().wgpuComputePassEncoderSetPipeline(encoder.get(), step.pipeline->compute.get());
  procs().wgpuComputePassEncoderSetBindGroup(encoder.get(), 0, step.group.get(), 0, nullptr);
  procs().wgpuComputePassEncoderDispatchWorkgroups(encoder.get(), step.pass->workgroups[0], step.pass->workgroups[1],
                                                   step.pass->workgroups[2]);
}

// One compute pass: WebGPU orders the dispatches within it by the memory they use.
Status encode_steps(const CommandEncoder& encoder, std::span<const Step> steps) {
  if (steps.empty()) return {};
  const ComputePass pass(procs().wgpuCommandEncoderBeginComputePass(encoder.get(), nullptr));
  if (!pass) return device_error("cannot begin a compute pass");
  for (const Step& step : steps) encode_dispatch(pass, step);
  procs().wgpuComputePassEncoderEnd(pass.get());
  return {};
}

void encode_clears(const CommandEncoder& encoder, const Plan& plan, const CallBuffers& buffers) {
  for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
    if (!plan.scratch[i].zero_init || !buffers.scratch[i]) continue;
    procs().wgpuCommandEncoderClearBuffer(encoder.get(), buffers.scratch[i].get(), 0, WGPU_WHOLE_SIZE);
  }
}

/// Number of steps up to and including the first that ends a submission.
std::size_t submission_length(std::span<const Step> steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].pass->submit_after) return i + 1;
  }
  return steps.size();
}

Status run_steps(DeviceContext& context, const Plan& plan, const CallBuffers& buffers, std::span<const Step> steps,
                 const ReadBack& read_back) {
  bool first = true;
  for (;;) {
    const std::size_t count = submission_length(steps);
    const bool last = count == steps.size();
    const bool waits = count > 0 && steps[count - 1].pass->submit_after;
    WGK_TRY(CommandBuffer commands, record_commands(context, [&](const CommandEncoder& encoder) -> Status {
              if (first) encode_clears(encoder, plan, buffers);
              WGK_CHECK(encode_steps(encoder, steps.first(count)));
              if (last) read_back.encode(encoder, buffers);
              return {};
            }));
    WGK_CHECK(submit(context, std::move(commands)));
    if (last) return {};
    if (waits) WGK_CHECK(wait_until_idle(context));
    steps = steps.subspan(count);
    first = false;
  }
}

Result<std::vector<std::vector<std::byte>>> run_and_read(DeviceContext& context, const Plan& plan,
                                                         const CallBuffers& buffers, std::span<const Step> steps) {
  WGK_TRY(const ReadBack read_back, ReadBack::create(context, plan));
  WGK_CHECK(run_steps(context, plan, buffers, steps, read_back));
  return read_back.collect(context);
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> execute(DeviceContext& context, PipelineCache& pipelines, const Plan& plan,
                                                    std::span<const std::span<const std::byte>> inputs) {
  WGK_CHECK(check_not_lost(context));
  WGK_CHECK(check_plan(plan, inputs, context.profile));
  WGK_CHECK(check_memory(plan, CallMemory::kAll, context.max_call_bytes));
  if (plan.empty) {
    std::vector<std::vector<std::byte>> results;
    for (const PlanTensor& tensor : plan.tensors) {
      if (tensor.is_output) results.emplace_back();
    }
    return results;
  }

  static_cast<void>(context.events.take_error());  // what an earlier call left behind must not be blamed on this one
  Result<CallBuffers> buffers = create_call_buffers(context, plan, inputs);
  if (!buffers.ok()) return at(place(plan), std::move(buffers).error());
  WGK_TRY(const std::vector<Step> steps, make_steps(context, pipelines, plan, *buffers));
  auto results = run_and_read(context, plan, *buffers, steps);
  if (!results.ok()) return at(place(plan), std::move(results).error());
  return results;
}

}  // namespace wgk::gpu
