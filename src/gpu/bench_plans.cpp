// WGSL of the plans that measuring needs.
#include "gpu/bench_plans.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

namespace wgk::gpu {
namespace {

constexpr std::uint64_t kWorkgroupSize = 256;
constexpr std::uint64_t kMostFillWorkgroups = 8192;

// The multiplier is the golden ratio in 32 bits: neighbouring words become unlike each other.
constexpr std::string_view kFillWgsl = R"(
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  for (var i = id.x; i < arrayLength(&words); i += groups.x * 256u) {{
    let mixed = (i * 2654435769u) ^ (i >> 7u);
    words[i] = {};
  }}
}}
)";

constexpr std::string_view kCopyWgsl = R"(
@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<u32>>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let first = (group.y * {0}u + group.x) * {1}u + lane;
{2}}}
)";

std::string_view word_of(FillPattern pattern) {
  switch (pattern) {
    case FillPattern::kFloat32:
      return "bitcast<u32>(f32(mixed) * 1.9073486328125e-6)";  // 2^-19: [0, 2^32) becomes [0, 2^13)
    case FillPattern::kFloat16:
      return "(mixed & 0x03FF03FFu) | 0x3C003C00u";
    case FillPattern::kBytes:
      return "mixed & 0x01010101u";
  }
  return "0u";
}

PlanTensor words(std::string key, std::uint64_t bytes, bool output) {
  PlanTensor tensor;
  tensor.key = std::move(key);
  tensor.onnx_name = tensor.key;
  tensor.format = {DType::kUint32, DType::kUint32, false, false};
  tensor.shape = {static_cast<std::int64_t>(bytes / 4)};
  tensor.storage_bytes = bytes;
  tensor.is_input = !output;
  tensor.is_output = output;
  return tensor;
}

PlanBinding binding_of(const PlanTensor& tensor, std::uint32_t index, std::string_view element, std::uint64_t align) {
  PlanBinding binding;
  binding.name = tensor.key;
  binding.access = tensor.is_output ? BindingAccess::kStorage : BindingAccess::kReadOnlyStorage;
  binding.index = index;
  binding.size_bytes = tensor.storage_bytes;
  binding.element_type = element;
  binding.element_align = align;
  return binding;
}

Plan plan_of(std::string op, std::string variant, PlanPass pass) {
  Plan plan;
  plan.op = std::move(op);
  plan.variant = std::move(variant);
  pass.id = plan.variant;
  pass.label = plan.op;
  pass.shader = plan.op;
  plan.passes.push_back(std::move(pass));
  return plan;
}

/// `count` workgroups on two axes, x as wide as it may be. The last row may hold workgroups too many.
std::array<std::uint32_t, 3> fold(std::uint64_t count) {
  const std::uint64_t x = std::clamp<std::uint64_t>(count, 1, limits::kMaxWorkgroupsPerDimension);
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (count + x - 1) / x)),
          1};
}

}  // namespace

Plan fill_plan(std::uint64_t bytes, FillPattern pattern) {
  PlanTensor tensor = words("words", bytes, true);
  PlanPass pass;
  pass.wgsl = fmt::format(kFillWgsl, word_of(pattern));
  const std::uint64_t groups = (bytes / 4 + kWorkgroupSize - 1) / kWorkgroupSize;
  pass.workgroups = {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(groups, 1, kMostFillWorkgroups)), 1, 1};
  pass.bindings.push_back(binding_of(tensor, 0, "u32", 4));
  Plan plan = plan_of("wgk.Fill", "fill", std::move(pass));
  plan.tensors.push_back(std::move(tensor));
  return plan;
}

Plan copy_plan(std::uint64_t bytes, std::uint32_t vectors) {
  PlanTensor source = words("source", bytes, false);
  PlanTensor target = words("target_", bytes, true);
  const std::uint64_t count = bytes / 16;
  const std::uint64_t per_group = kWorkgroupSize * vectors;
  const std::uint64_t groups = (count + per_group - 1) / per_group;
  PlanPass pass;
  pass.workgroups = fold(groups);
  // Every workgroup in bounds copies without a test, as a kernel for known shapes would.
  const bool exact = count == std::uint64_t{pass.workgroups[0]} * pass.workgroups[1] * per_group;
  std::string body;
  for (std::uint32_t i = 0; i < vectors; ++i) {
    const std::uint64_t step = i * kWorkgroupSize;
    body += exact ? fmt::format("  target_[first + {0}u] = source[first + {0}u];\n", step)
                  : fmt::format("  if (first + {0}u < {1}u) {{ target_[first + {0}u] = source[first + {0}u]; }}\n",
                                step, count);
  }
  pass.wgsl = fmt::format(kCopyWgsl, pass.workgroups[0], per_group, body);
  pass.bindings.push_back(binding_of(source, 0, "vec4<u32>", 16));
  pass.bindings.push_back(binding_of(target, 1, "vec4<u32>", 16));
  Plan plan = plan_of("wgk.Copy", fmt::format("{} vectors", vectors), std::move(pass));
  plan.tensors.push_back(std::move(source));
  plan.tensors.push_back(std::move(target));
  return plan;
}

}  // namespace wgk::gpu
