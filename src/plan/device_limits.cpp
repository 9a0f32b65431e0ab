// Reads limits of a profile; an absent one falls back to what the WebGPU specification guarantees.
#include "plan/device_limits.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace wgk::plan {
namespace {

constexpr std::string_view kWorkgroupsPerDimension = "maxComputeWorkgroupsPerDimension";

/// The guaranteed values of the limits that planning itself asks for.
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kGuaranteed{{
    {kWorkgroupsPerDimension, 65535},
    {"maxBufferSize", 268435456},
    {"maxStorageBufferBindingSize", 134217728},
    {"maxStorageBuffersPerShaderStage", 8},
    {"maxUniformBuffersPerShaderStage", 12},
}};

}  // namespace

std::optional<std::uint64_t> device_limit(const DeviceProfile& profile, std::string_view name) {
  const auto found = profile.limits.find(name);
  if (found == profile.limits.end()) return std::nullopt;
  return name == kWorkgroupsPerDimension ? std::min(found->second, limits::kMaxWorkgroupsPerDimension) : found->second;
}

std::uint64_t device_limit_or_default(const DeviceProfile& profile, std::string_view name) {
  if (const auto known = device_limit(profile, name)) return *known;
  for (const auto& [guaranteed, value] : kGuaranteed) {
    if (guaranteed == name) return value;
  }
  return 0;
}

Error too_many_bytes(std::string_view what, std::uint64_t bytes, std::uint64_t limit, std::string_view limit_name) {
  return Error{ErrorCode::kRequest,
               fmt::format("{} needs {} bytes; the device allows {} ({})", what, bytes, limit, limit_name)};
}

}  // namespace wgk::plan
