// Limits of a device as planning sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <wgk/device_profile.hpp>
#include <wgk/limits.hpp>
#include <wgk/status.hpp>

namespace wgk::plan {

/// The limit as expressions see it: maxComputeWorkgroupsPerDimension is never above 65535. nullopt: unknown.
std::optional<std::uint64_t> device_limit(const DeviceProfile& profile, std::string_view name);

/// The limit, or the one that every WebGPU device has when the profile does not name it.
std::uint64_t device_limit_or_default(const DeviceProfile& profile, std::string_view name);

Error too_many_bytes(std::string_view what, std::uint64_t bytes, std::uint64_t limit, std::string_view limit_name);

/// An error unless `bytes` is within the limit of that name:
/// `⟨what⟩ needs ⟨n⟩ bytes; the device allows ⟨m⟩ (⟨limit name⟩)`. `what()` gives the text, and only then. Error:
/// kRequest.
template <typename What>
Status check_bytes(const DeviceProfile& profile, std::string_view limit_name, std::uint64_t bytes, const What& what) {
  const std::uint64_t limit = device_limit_or_default(profile, limit_name);
  if (bytes <= limit) return {};
  return too_many_bytes(what(), bytes, limit, limit_name);
}

}  // namespace wgk::plan
