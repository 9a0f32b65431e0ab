// What a plan needs to know of a device: plain data, so that plans can be made for devices that are not there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/export.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// A matrix multiplication that subgroups of an adapter can do: M x K times K x N.
struct SubgroupMatrixConfig {
  std::string component_type;         ///< of the factors: "f16", "f32", "u8", …
  std::string result_component_type;  ///< of the product
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;

  friend bool operator==(const SubgroupMatrixConfig&, const SubgroupMatrixConfig&) = default;
};

/// Facts about an adapter, in WebGPU's own terms.
struct AdapterInfo {
  std::string vendor;        ///< lower case, for example "nvidia"; empty if unknown
  std::string architecture;  ///< lower case; empty if unknown
  std::string device;        ///< the name people know, for example "NVIDIA H200"
  std::string description;   ///< driver name and version
  std::string backend;       ///< "vulkan", "metal", "d3d12", "opengl"; empty for a profile that was written by hand
  std::optional<std::uint32_t> subgroup_min_size;
  std::optional<std::uint32_t> subgroup_max_size;
  bool is_fallback_adapter = false;  ///< a CPU implementation such as lavapipe
  /// Empty: it has none. Absent: it does not report them.
  std::optional<std::vector<SubgroupMatrixConfig>> subgroup_matrix_configs{};

  friend bool operator==(const AdapterInfo&, const AdapterInfo&) = default;
};

/// Features, limits, WGSL extensions and adapter of one device. Comparable and storable; has no handle to anything.
struct WGK_API DeviceProfile {
  AdapterInfo adapter;
  std::set<std::string, std::less<>> features;                ///< WebGPU feature names: "shader-f16", "timestamp-query"
  std::set<std::string, std::less<>> wgsl_language_features;  ///< names for `requires` in WGSL
  std::map<std::string, std::uint64_t, std::less<>> limits;   ///< WebGPU limit names in camelCase -> value

  bool has_feature(std::string_view name) const { return features.find(name) != features.end(); }
  /// The limit, or `fallback` when the profile does not name it.
  std::uint64_t limit(std::string_view name, std::uint64_t fallback = 0) const {
    const auto found = limits.find(name);
    return found == limits.end() ? fallback : found->second;
  }

  /// The limits every WebGPU device has (WebGPU specification, "Limits", default values) and no features.
  static DeviceProfile webgpu_defaults();

  /// JSON object {adapter: {…}, features: […], wgslLanguageFeatures: […], limits: {…}}; docs/command-line.md.
  std::string to_json() const;
  /// The inverse. Members that are absent keep the values of webgpu_defaults(). Error: kUsage with the JSON pointer.
  static Result<DeviceProfile> from_json(std::string_view text);

  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

}  // namespace wgk::inline v0
