// When the bindings of one pass may share a buffer (package-format section 15).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

namespace wgk::gpu {

/// A binding with the place it resolved to. `buffer` identifies the GPU buffer and is only compared.
struct ResolvedBinding {
  std::string_view name;
  BindingAccess access = BindingAccess::kReadOnlyStorage;
  const void* buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  DType storage = DType::kFloat32;
};

/// True when the pass would copy every listed tensor onto itself, so that it need not run.
bool is_view_alias_no_op(std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs,
                         std::span<const ResolvedBinding> bindings);

/// Refuses a buffer bound for reading and for writing, and overlapping writable ranges.
Status check_aliasing(const Plan& plan, const PlanPass& pass, std::span<const ResolvedBinding> bindings);

}  // namespace wgk::gpu
