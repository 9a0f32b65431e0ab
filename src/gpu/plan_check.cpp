// Consistency of a plan with itself, with its inputs and with the device.
#include "gpu/plan_check.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/try.h"
#include "gpu/error_scope.h"

namespace wgk::gpu {
namespace {

// A device whose profile names no such limit does not exist; a plain 64-bit maximum would let sums overflow.
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;

Status check_size(const Plan& plan, std::string_view what, std::string_view name, std::uint64_t bytes,
                  std::uint64_t limit, std::string_view limit_name) {
  if (bytes <= limit) return {};
  return device_error(fmt::format("{}: {} '{}' needs {} bytes, more than {} of this device ({})", place(plan), what,
                                  name, bytes, limit_name, limit));
}

Status check_buffers(const Plan& plan, const DeviceProfile& profile) {
  const std::uint64_t limit = profile.limit("maxBufferSize", kUnlimited);
  for (const PlanTensor& tensor : plan.tensors) {
    WGK_CHECK(check_size(plan, "tensor", tensor.key, tensor.storage_bytes, limit, "maxBufferSize"));
  }
  for (const PlanScratch& scratch : plan.scratch) {
    WGK_CHECK(check_size(plan, "scratch", scratch.id, scratch.storage_bytes, limit, "maxBufferSize"));
  }
  return {};
}

Status check_inputs(const Plan& plan, std::span<const std::span<const std::byte>> inputs) {
  const auto expected = static_cast<std::size_t>(std::count_if(
      plan.tensors.begin(), plan.tensors.end(), [](const PlanTensor& tensor) { return tensor.is_input; }));
  if (inputs.size() != expected) {
    return device_error(fmt::format("{}: {} inputs given, the plan has {}", place(plan), inputs.size(), expected));
  }
  std::size_t next = 0;
  for (const PlanTensor& tensor : plan.tensors) {
    if (!tensor.is_input) continue;
    const std::size_t given = inputs[next++].size();
    if (given != tensor.storage_bytes) {
      return device_error(fmt::format("{}: input '{}' has {} bytes, the plan needs {}", place(plan), tensor.key, given,
                                      tensor.storage_bytes));
    }
  }
  return {};
}

struct Resource {
  bool exists = false;
  std::uint64_t bytes = 0;
};

Resource resource_of(const Plan& plan, const PlanBinding& binding) {
  const auto index = static_cast<std::size_t>(binding.index);
  switch (binding.source) {
    case PlanBinding::Source::kTensor:
      return index < plan.tensors.size() ? Resource{true, plan.tensors[index].storage_bytes} : Resource{};
    case PlanBinding::Source::kScratch:
      return index < plan.scratch.size() ? Resource{true, plan.scratch[index].storage_bytes} : Resource{};
    case PlanBinding::Source::kUniform:
      return index < plan.uniforms.size() ? Resource{true, plan.uniforms[index].bytes.size()} : Resource{};
  }
  return {};
}

Status check_binding(const Plan& plan, const PlanPass& pass, const PlanBinding& binding, const DeviceProfile& profile) {
  const Resource resource = resource_of(plan, binding);
  const bool uniform = binding.access == BindingAccess::kUniform;
  if (!resource.exists || uniform != (binding.source == PlanBinding::Source::kUniform)) {
    return device_error(fmt::format("{}: binding '{}' refers to nothing in the plan", place(plan, pass), binding.name));
  }
  if (binding.size_bytes == 0 || binding.size_bytes % 4 != 0 || binding.size_bytes > buffer_size(resource.bytes)) {
    return device_error(fmt::format("{}: binding '{}' binds {} bytes of a buffer of {}", place(plan, pass),
                                    binding.name, binding.size_bytes, buffer_size(resource.bytes)));
  }
  const std::string_view limit_name = uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize";
  const std::uint64_t limit = profile.limit(limit_name, kUnlimited);
  if (binding.size_bytes > limit) {
    return device_error(fmt::format("{}: binding '{}' needs {} bytes, more than {} of this device ({})",
                                    place(plan, pass), binding.name, binding.size_bytes, limit_name, limit));
  }
  return {};
}

Status check_pass(const Plan& plan, const PlanPass& pass, const DeviceProfile& profile) {
  const std::uint64_t limit = profile.limit("maxComputeWorkgroupsPerDimension", kUnlimited);
  for (const std::uint32_t count : pass.workgroups) {
    if (count > limit) {
      return device_error(
          fmt::format("{}: {} workgroups are more than maxComputeWorkgroupsPerDimension of this device ({})",
                      place(plan, pass), count, limit));
    }
  }
  for (const PlanBinding& binding : pass.bindings) WGK_CHECK(check_binding(plan, pass, binding, profile));
  for (const auto& [input, output] : pass.view_alias) {
    if (input >= pass.bindings.size() || output >= pass.bindings.size()) {
      return device_error(fmt::format("{}: viewAlias names a binding that is not there", place(plan, pass)));
    }
  }
  return {};
}

Status check_emptiness(const Plan& plan) {
  for (const PlanTensor& tensor : plan.tensors) {
    if (plan.empty && tensor.is_output && tensor.storage_bytes != 0) {
      return device_error(
          fmt::format("{}: the plan does nothing, but output '{}' is not empty", place(plan), tensor.key));
    }
  }
  return {};
}

/// Sums sizes of buffers; stays at the maximum once it got there.
class ByteSum {
 public:
  void add(std::uint64_t bytes) {
    const std::uint64_t size = bytes > kMost - 4 ? kMost : buffer_size(bytes);
    total_ = base::checked_add(total_, size).value_or(kMost);
  }
  std::uint64_t total() const { return total_; }

 private:
  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t total_ = 0;
};

}  // namespace

std::string place(const Plan& plan) { return fmt::format("{}: variant '{}'", plan.op, plan.variant); }

std::string place(const Plan& plan, const PlanPass& pass) { return fmt::format("{}, pass '{}'", place(plan), pass.id); }

Status check_plan(const Plan& plan, std::span<const std::span<const std::byte>> inputs, const DeviceProfile& profile) {
  WGK_CHECK(check_plan(plan, profile));
  return check_inputs(plan, inputs);
}

Status check_plan(const Plan& plan, const DeviceProfile& profile) {
  WGK_CHECK(check_emptiness(plan));
  WGK_CHECK(check_buffers(plan, profile));
  for (const PlanPass& pass : plan.passes) {
    if (!pass.skipped()) WGK_CHECK(check_pass(plan, pass, profile));
  }
  return {};
}

Status check_memory(const Plan& plan, CallMemory memory, std::uint64_t limit) {
  ByteSum sum;
  for (const PlanTensor& tensor : plan.tensors) {
    if (memory != CallMemory::kAll) break;
    sum.add(tensor.storage_bytes);
    if (tensor.is_output) sum.add(tensor.storage_bytes);  // the buffer it is read back through
  }
  for (const PlanScratch& scratch : plan.scratch) sum.add(scratch.storage_bytes);
  for (const PlanUniform& uniform : plan.uniforms) sum.add(uniform.bytes.size());
  if (sum.total() <= limit) return {};
  return Error{ErrorCode::kRequest,
               fmt::format("{}: the call needs {} bytes of GPU memory; the limit is {} (max_call_bytes, --max-memory)",
                           place(plan), sum.total(), limit)};
}

}  // namespace wgk::gpu
