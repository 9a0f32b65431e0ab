// The rules about two bindings on one buffer, and their error texts, which the package format fixes.
#include "gpu/aliasing.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"

namespace wgk::gpu {
namespace {

bool same_view(const ResolvedBinding& a, const ResolvedBinding& b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.size == b.size && a.storage == b.storage;
}

// By subtraction, so that no sum can overflow.
bool overlap(const ResolvedBinding& a, const ResolvedBinding& b) {
  return a.offset <= b.offset ? b.offset - a.offset < a.size : a.offset - b.offset < b.size;
}

Status check_pair(const Plan& plan, const PlanPass& pass, const ResolvedBinding& a, const ResolvedBinding& b) {
  if (a.buffer != b.buffer) return {};
  if (a.access != b.access) {
    const bool a_reads = a.access == BindingAccess::kReadOnlyStorage;
    return device_error(fmt::format(
        "{} (variant {}, pass {}): storage aliasing hazard — binding \"{}\" (read-only-storage) and binding \"{}\" "
        "(storage, read_write) resolve to the same GPU buffer.",
        plan.op, plan.variant, pass.id, a_reads ? a.name : b.name, a_reads ? b.name : a.name));
  }
  if (a.access == BindingAccess::kStorage && overlap(a, b)) {
    return device_error(fmt::format(
        "{} (variant {}, pass {}): storage bindings \"{}\" and \"{}\" alias overlapping writable ranges of the same "
        "GPU buffer",
        plan.op, plan.variant, pass.id, a.name, b.name));
  }
  return {};
}

}  // namespace

bool is_view_alias_no_op(std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs,
                         std::span<const ResolvedBinding> bindings) {
  return !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return same_view(bindings[pair.first], bindings[pair.second]);
  });
}

Status check_aliasing(const Plan& plan, const PlanPass& pass, std::span<const ResolvedBinding> bindings) {
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    for (std::size_t j = i + 1; j < bindings.size(); ++j) {
      if (bindings[i].access == BindingAccess::kUniform || bindings[j].access == BindingAccess::kUniform) continue;
      WGK_CHECK(check_pair(plan, pass, bindings[i], bindings[j]));
    }
  }
  return {};
}

}  // namespace wgk::gpu
