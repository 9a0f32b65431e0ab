// Compiles, uploads and allocates what does not change from call to call.
#include "gpu/prepared_plan.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/call_buffers.h"
#include "gpu/error_scope.h"
#include "gpu/plan_check.h"
#include "gpu/transfer.h"

namespace wgk::gpu {
namespace {

// Clearing by a dispatch rather than by a command of the encoder: a call can then be recorded into a pass that the
// caller has open.
constexpr const char* kClearWgsl = R"(
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  for (var i = id.x; i < arrayLength(&words); i += groups.x * 64u) { words[i] = 0u; }
}
)";
constexpr std::uint64_t kClearWorkgroupSize = 64;
constexpr std::uint64_t kMostClearWorkgroups = 4096;

PlanPass clearing_pass(const PlanScratch& scratch, std::uint32_t index) {
  PlanBinding binding;
  binding.name = scratch.id;
  binding.access = BindingAccess::kStorage;
  binding.source = PlanBinding::Source::kScratch;
  binding.index = index;
  binding.size_bytes = buffer_size(scratch.storage_bytes);

  PlanPass pass;
  pass.id = fmt::format("clear {}", scratch.id);
  pass.label = pass.id;
  pass.shader = "clear";
  pass.wgsl = kClearWgsl;
  const std::uint64_t words = binding.size_bytes / 4;
  const std::uint64_t groups = (words + kClearWorkgroupSize - 1) / kClearWorkgroupSize;
  pass.workgroups = {static_cast<std::uint32_t>(std::min(groups, kMostClearWorkgroups)), 1, 1};
  pass.bindings.push_back(std::move(binding));
  return pass;
}

bool binds(const PlanPass& pass, PlanBinding::Source source, std::uint32_t index) {
  return !pass.skipped() && std::any_of(pass.bindings.begin(), pass.bindings.end(), [&](const PlanBinding& binding) {
    return binding.source == source && binding.index == index;
  });
}

/// Clears in front of everything, and only what some pass that runs will look at.
Plan with_clears(Plan plan) {
  if (plan.empty) return plan;
  std::vector<PlanPass> clears;
  for (std::uint32_t i = 0; i < plan.scratch.size(); ++i) {
    const bool used = std::any_of(plan.passes.begin(), plan.passes.end(),
                                  [&](const PlanPass& pass) { return binds(pass, PlanBinding::Source::kScratch, i); });
    if (plan.scratch[i].zero_init && used) clears.push_back(clearing_pass(plan.scratch[i], i));
  }
  plan.passes.insert(plan.passes.begin(), std::make_move_iterator(clears.begin()),
                     std::make_move_iterator(clears.end()));
  return plan;
}

Error at(const std::string& where, Error error) {
  error.message = where + ": " + error.message;
  return error;
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

}  // namespace

PreparedPlan::PreparedPlan(std::shared_ptr<GpuDevice> device, Plan plan)
    : device_(std::move(device)), plan_(with_clears(std::move(plan))) {}

Result<std::shared_ptr<const PreparedPlan>> PreparedPlan::create(std::shared_ptr<GpuDevice> device, Plan plan) {
  WGK_CHECK(check_not_lost(device->context()));
  WGK_CHECK(check_plan(plan, device->profile()));
  WGK_CHECK(check_memory(plan, CallMemory::kPrepared, device->context().max_call_bytes));
  const std::shared_ptr<PreparedPlan> prepared(new PreparedPlan(std::move(device), std::move(plan)));
  if (!prepared->plan_.empty) {
    static_cast<void>(prepared->device_->context().events.take_error());  // left behind by others
    WGK_CHECK(prepared->compile());
    Status status = prepared->upload_uniforms();
    if (status.ok()) status = prepared->take_scratch();
    if (!status.ok()) return at(place(prepared->plan_), std::move(status).error());
  }
  return std::shared_ptr<const PreparedPlan>(prepared);
}

Status PreparedPlan::compile() {
  for (const PlanPass& pass : plan_.passes) {
    if (pass.skipped()) continue;
    auto pipeline = device_->pipelines().get(device_->context(), pass);
    if (!pipeline.ok()) return at(place(plan_, pass), std::move(pipeline).error());
    steps_.push_back({&pass, *std::move(pipeline)});
  }
  return {};
}

Status PreparedPlan::upload_uniforms() {
  const std::uint64_t alignment =
      std::max<std::uint64_t>(4, device_->profile().limit("minUniformBufferOffsetAlignment", 256));
  std::uint64_t size = 0;
  for (const PlanUniform& uniform : plan_.uniforms) {
    size = round_up(size, alignment);
    uniform_offsets_.push_back(size);
    size += buffer_size(uniform.bytes.size());
  }
  if (size == 0) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < plan_.uniforms.size(); ++i) {
    const std::vector<std::byte>& uniform = plan_.uniforms[i].bytes;
    if (uniform.empty()) continue;
    std::memcpy(bytes.data() + static_cast<std::size_t>(uniform_offsets_[i]), uniform.data(), uniform.size());
  }
  WGK_TRY(uniforms_,
          create_buffer(device_->context(), "uniforms", size, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst));
  return write_buffer(device_->context(), uniforms_.get(), 0, bytes, "uniforms");
}

Status PreparedPlan::take_scratch() {
  scratch_.resize(plan_.scratch.size());
  for (std::uint32_t i = 0; i < plan_.scratch.size(); ++i) {
    if (!uses(PlanBinding::Source::kScratch, i)) continue;
    WGK_TRY(scratch_[i], device_->scratch_pool().take(device_->context(), buffer_size(plan_.scratch[i].storage_bytes)));
  }
  return {};
}

bool PreparedPlan::uses(PlanBinding::Source source, std::uint32_t index) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) { return binds(*step.pass, source, index); });
}

}  // namespace wgk::gpu
