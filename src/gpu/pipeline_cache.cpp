// Compiles a pass and remembers the pipeline.
#include "gpu/pipeline_cache.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/try.h"
#include "gpu/error_scope.h"
#include "gpu/shader_guard.h"
#include "gpu/shader_text.h"

namespace wgk::gpu {
namespace {

WGPUBufferBindingType buffer_type(BindingAccess access) {
  switch (access) {
    case BindingAccess::kReadOnlyStorage:
      return WGPUBufferBindingType_ReadOnlyStorage;
    case BindingAccess::kStorage:
      return WGPUBufferBindingType_Storage;
    case BindingAccess::kUniform:
      return WGPUBufferBindingType_Uniform;
  }
  return WGPUBufferBindingType_Undefined;
}

/// Whether every object is made in an error scope of its own, or somebody around has one open for all.
enum class Scopes { kOwn, kOuter };

template <typename Owner, typename Create>
Result<Owner> create_object(DeviceContext& context, Scopes scopes, std::string_view what, Create&& create) {
  if (scopes == Scopes::kOwn) return create_checked<Owner>(context, what, std::forward<Create>(create));
  Owner object(std::forward<Create>(create)());
  if (!object) return device_error(std::string(what));
  return object;
}

Result<ShaderModule> create_module(DeviceContext& context, Scopes scopes, const PlanPass& pass, std::string_view wgsl) {
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = to_wgpu(wgsl);
  WGPUShaderModuleDescriptor descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  descriptor.nextInChain = &source.chain;
  descriptor.label = to_wgpu(pass.shader);
  return create_object<ShaderModule>(context, scopes, "shader does not compile", [&] {
    return procs().wgpuDeviceCreateShaderModule(context.device.get(), &descriptor);
  });
}

Result<BindGroupLayout> create_layout(DeviceContext& context, Scopes scopes, const PlanPass& pass) {
  std::vector<WGPUBindGroupLayoutEntry> entries;
  for (const PlanBinding& binding : pass.bindings) {
    WGPUBindGroupLayoutEntry entry = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.visibility = WGPUShaderStage_Compute;
    entry.buffer.type = buffer_type(binding.access);
    entries.push_back(entry);
  }
  WGPUBindGroupLayoutDescriptor descriptor = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu(pass.id);
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  return create_object<BindGroupLayout>(context, scopes, "cannot create the bind group layout", [&] {
    return procs().wgpuDeviceCreateBindGroupLayout(context.device.get(), &descriptor);
  });
}

Result<ComputePipeline> create_pipeline(DeviceContext& context, Scopes scopes, const PlanPass& pass,
                                        const ShaderModule& module, const BindGroupLayout& group_layout) {
  const WGPUBindGroupLayout groups[] = {group_layout.get()};
  WGPUPipelineLayoutDescriptor layout_descriptor = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
  layout_descriptor.label = to_wgpu(pass.id);
  layout_descriptor.bindGroupLayoutCount = 1;
  layout_descriptor.bindGroupLayouts = groups;
  WGK_TRY(PipelineLayout layout,
          create_object<PipelineLayout>(context, scopes, "cannot create the pipeline layout", [&] {
            return procs().wgpuDeviceCreatePipelineLayout(context.device.get(), &layout_descriptor);
          }));

  WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu(pass.id);
  descriptor.layout = layout.get();
  descriptor.compute.module = module.get();
  descriptor.compute.entryPoint = to_wgpu(pass.entry_point);
  return create_object<ComputePipeline>(context, scopes, "cannot create the pipeline", [&] {
    return procs().wgpuDeviceCreateComputePipeline(context.device.get(), &descriptor);
  });
}

Result<std::shared_ptr<const Pipeline>> compile(DeviceContext& context, Scopes scopes, const PlanPass& pass) {
  WGK_CHECK(check_shader_nesting(pass.wgsl));
  WGK_TRY(const std::string wgsl, fit_shader(pass.wgsl, context.profile));
  WGK_TRY(ShaderModule module, create_module(context, scopes, pass, wgsl));
  auto pipeline = std::make_shared<Pipeline>();
  WGK_TRY(pipeline->layout, create_layout(context, scopes, pass));
  WGK_TRY(pipeline->compute, create_pipeline(context, scopes, pass, module, pipeline->layout));
  return std::shared_ptr<const Pipeline>(std::move(pipeline));
}

}  // namespace

std::string pipeline_key(const PlanPass& pass) {
  // key  = count of bindings ":" one digit per binding ":" length of entry point ":" entry point wgsl
  // Lengths come first, so two different inputs cannot run together into one text.
  std::string input = fmt::format("{}:", pass.bindings.size());
  for (const PlanBinding& binding : pass.bindings) input += static_cast<char>('0' + static_cast<int>(binding.access));
  input += fmt::format(":{}:{}", pass.entry_point.size(), pass.entry_point);
  input += pass.wgsl;
  return base::sha256_hex(input);
}

std::shared_ptr<const Pipeline> PipelineCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().pipeline;
}

// Two threads may have compiled the same pass; the first one in stays.
std::shared_ptr<const Pipeline> PipelineCache::insert(std::string key, std::shared_ptr<const Pipeline> pipeline) {
  const std::lock_guard lock(mutex_);
  ++compiled_;
  if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second->pipeline;
  if (entries_.size() >= capacity_ && !entries_.empty()) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({key, pipeline});
  by_key_.emplace(std::move(key), entries_.begin());
  return pipeline;
}

Result<std::shared_ptr<const Pipeline>> PipelineCache::get(DeviceContext& context, const PlanPass& pass) {
  std::string key = pipeline_key(pass);
  if (auto pipeline = find(key)) return pipeline;
  WGK_TRY(std::shared_ptr<const Pipeline> pipeline, compile(context, Scopes::kOwn, pass));
  return insert(std::move(key), std::move(pipeline));
}

void PipelineCache::warm(DeviceContext& context, std::span<const PlanPass* const> passes, unsigned threads) {
  struct Job {
    const PlanPass* pass;
    std::string key;
    std::shared_ptr<const Pipeline> pipeline;
  };
  std::vector<Job> jobs;
  for (const PlanPass* pass : passes) {
    std::string key = pipeline_key(*pass);
    const bool known = std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.key == key; });
    if (!known && find(key) == nullptr) jobs.push_back({pass, std::move(key), nullptr});
  }
  if (jobs.size() < 2 || threads < 2) return;

  // One scope around all: scopes belong to the device, not to threads, so they cannot tell the jobs apart.
  ErrorScope scope(context);
  std::atomic<std::size_t> next = 0;
  const auto work = [&]() noexcept {
    for (std::size_t i = next.fetch_add(1); i < jobs.size(); i = next.fetch_add(1)) {
      try {
        auto compiled = compile(context, Scopes::kOuter, *jobs[i].pass);
        if (compiled.ok()) jobs[i].pipeline = *std::move(compiled);
      } catch (...) {  // out of memory: get() will meet it again, where it can be reported
      }
    }
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min<std::size_t>(threads, jobs.size())) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads: fewer do
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (!scope.end("pipelines").ok()) return;
  for (Job& job : jobs) {
    if (job.pipeline) static_cast<void>(insert(std::move(job.key), std::move(job.pipeline)));
  }
}

std::size_t PipelineCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::size_t PipelineCache::compiled() const {
  const std::lock_guard lock(mutex_);
  return compiled_;
}

}  // namespace wgk::gpu
