// Default limits of WebGPU, and the JSON form of a device profile.
#include <limits>

#include <fmt/format.h>

#include <wgk/device_profile.hpp>

#include "base/json.h"
#include "base/try.h"

namespace wgk::inline v0 {
namespace {

using base::Json;

// WebGPU specification, "Limits": the default value of each.
struct DefaultLimit {
  const char* name;
  std::uint64_t value;
};
constexpr DefaultLimit kDefaultLimits[] = {
    {"maxTextureDimension1D", 8192},
    {"maxTextureDimension2D", 8192},
    {"maxTextureDimension3D", 2048},
    {"maxTextureArrayLayers", 256},
    {"maxBindGroups", 4},
    {"maxBindGroupsPlusVertexBuffers", 24},
    {"maxBindingsPerBindGroup", 1000},
    {"maxDynamicUniformBuffersPerPipelineLayout", 8},
    {"maxDynamicStorageBuffersPerPipelineLayout", 4},
    {"maxSampledTexturesPerShaderStage", 16},
    {"maxSamplersPerShaderStage", 16},
    {"maxStorageBuffersPerShaderStage", 8},
    {"maxStorageTexturesPerShaderStage", 4},
    {"maxUniformBuffersPerShaderStage", 12},
    {"maxUniformBufferBindingSize", 65536},
    {"maxStorageBufferBindingSize", 134217728},
    {"minUniformBufferOffsetAlignment", 256},
    {"minStorageBufferOffsetAlignment", 256},
    {"maxVertexBuffers", 8},
    {"maxBufferSize", 268435456},
    {"maxVertexAttributes", 16},
    {"maxVertexBufferArrayStride", 2048},
    {"maxInterStageShaderVariables", 16},
    {"maxColorAttachments", 8},
    {"maxColorAttachmentBytesPerSample", 32},
    {"maxComputeWorkgroupStorageSize", 16384},
    {"maxComputeInvocationsPerWorkgroup", 256},
    {"maxComputeWorkgroupSizeX", 256},
    {"maxComputeWorkgroupSizeY", 256},
    {"maxComputeWorkgroupSizeZ", 64},
    {"maxComputeWorkgroupsPerDimension", 65535},
};

using Names = std::set<std::string, std::less<>>;

Error bad(std::string_view pointer, std::string_view reason) {
  return {ErrorCode::kUsage, fmt::format("device profile: {}: {}", pointer.empty() ? "/" : pointer, reason)};
}

Status expect_object(const Json& json, std::string_view pointer) {
  return json.is_object() ? Status{} : bad(pointer, "expected an object");
}

Error unknown_member(std::string_view pointer, const std::string& key, const std::vector<std::string>& known) {
  const std::string near = base::nearest(key, known);
  return bad(base::pointer_child(pointer, key),
             near.empty() ? "unknown member" : fmt::format("unknown member; did you mean \"{}\"?", near));
}

Status read_text(const Json& json, std::string_view pointer, std::string& out) {
  if (!json.is_string()) return bad(pointer, "expected a string");
  out = json.get<std::string>();
  return {};
}

Result<std::uint64_t> read_unsigned(const Json& json, std::string_view pointer, std::uint64_t maximum) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > maximum) {
    return bad(pointer, fmt::format("expected an integer in [0, {}]", maximum));
  }
  return json.get<std::uint64_t>();
}

Status read_subgroup_size(const Json& json, std::string_view pointer, std::optional<std::uint32_t>& out) {
  WGK_TRY(const std::uint64_t value, read_unsigned(json, pointer, std::numeric_limits<std::uint32_t>::max()));
  out = static_cast<std::uint32_t>(value);
  return {};
}

// {"componentType": "f16", "resultComponentType": "f32", "M": 8, "N": 8, "K": 8}, every member given.
Result<SubgroupMatrixConfig> read_matrix_config(const Json& json, std::string_view pointer) {
  static const std::vector<std::string> kKnown = {"componentType", "resultComponentType", "M", "N", "K"};
  WGK_CHECK(expect_object(json, pointer));
  SubgroupMatrixConfig config;
  for (const auto& [key, value] : json.items()) {
    const std::string at = base::pointer_child(pointer, key);
    if (key == "componentType") {
      WGK_CHECK(read_text(value, at, config.component_type));
    } else if (key == "resultComponentType") {
      WGK_CHECK(read_text(value, at, config.result_component_type));
    } else if (key == "M" || key == "N" || key == "K") {
      WGK_TRY(const std::uint64_t size, read_unsigned(value, at, std::numeric_limits<std::uint32_t>::max()));
      (key == "M" ? config.m : key == "N" ? config.n : config.k) = static_cast<std::uint32_t>(size);
    } else {
      return unknown_member(pointer, key, kKnown);
    }
  }
  for (const std::string& key : kKnown) {
    if (!json.contains(key)) return bad(pointer, fmt::format("has no member \"{}\"", key));
  }
  return config;
}

Status read_matrix_configs(const Json& json, std::string_view pointer,
                           std::optional<std::vector<SubgroupMatrixConfig>>& out) {
  if (!json.is_array()) return bad(pointer, "expected a list of objects");
  out.emplace();
  for (std::size_t i = 0; i < json.size(); ++i) {
    WGK_TRY(SubgroupMatrixConfig config, read_matrix_config(json[i], base::pointer_child(pointer, i)));
    out->push_back(std::move(config));
  }
  return {};
}

Status read_adapter(const Json& json, std::string_view pointer, AdapterInfo& adapter) {
  static const std::vector<std::string> kKnown = {"vendor",          "architecture",      "device",
                                                  "description",     "backend",           "subgroupMinSize",
                                                  "subgroupMaxSize", "isFallbackAdapter", "subgroupMatrixConfigs"};
  WGK_CHECK(expect_object(json, pointer));
  for (const auto& [key, value] : json.items()) {
    const std::string at = base::pointer_child(pointer, key);
    if (key == "vendor") {
      WGK_CHECK(read_text(value, at, adapter.vendor));
    } else if (key == "architecture") {
      WGK_CHECK(read_text(value, at, adapter.architecture));
    } else if (key == "device") {
      WGK_CHECK(read_text(value, at, adapter.device));
    } else if (key == "description") {
      WGK_CHECK(read_text(value, at, adapter.description));
    } else if (key == "backend") {
      WGK_CHECK(read_text(value, at, adapter.backend));
    } else if (key == "subgroupMinSize") {
      WGK_CHECK(read_subgroup_size(value, at, adapter.subgroup_min_size));
    } else if (key == "subgroupMaxSize") {
      WGK_CHECK(read_subgroup_size(value, at, adapter.subgroup_max_size));
    } else if (key == "isFallbackAdapter") {
      if (!value.is_boolean()) return bad(at, "expected true or false");
      adapter.is_fallback_adapter = value.get<bool>();
    } else if (key == "subgroupMatrixConfigs") {
      WGK_CHECK(read_matrix_configs(value, at, adapter.subgroup_matrix_configs));
    } else {
      return unknown_member(pointer, key, kKnown);
    }
  }
  return {};
}

Status read_names(const Json& json, std::string_view pointer, Names& names) {
  if (!json.is_array()) return bad(pointer, "expected a list of strings");
  names.clear();
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string at = base::pointer_child(pointer, i);
    std::string name;
    WGK_CHECK(read_text(json[i], at, name));
    if (!names.insert(name).second) return bad(at, fmt::format("\"{}\" is listed twice", name));
  }
  return {};
}

// Limits that this version does not know are kept: WebGPU gains new ones, and expressions may use them.
Status read_limits(const Json& json, std::string_view pointer, DeviceProfile& profile) {
  constexpr std::uint64_t kLargest = (std::uint64_t{1} << 53) - 1;  // what a JavaScript number holds exactly
  WGK_CHECK(expect_object(json, pointer));
  for (const auto& [key, value] : json.items()) {
    WGK_TRY(profile.limits[key], read_unsigned(value, base::pointer_child(pointer, key), kLargest));
  }
  return {};
}

Json adapter_to_json(const AdapterInfo& adapter) {
  Json json = Json::object();
  json["vendor"] = adapter.vendor;
  json["architecture"] = adapter.architecture;
  json["device"] = adapter.device;
  json["description"] = adapter.description;
  json["backend"] = adapter.backend;
  if (adapter.subgroup_min_size) json["subgroupMinSize"] = *adapter.subgroup_min_size;
  if (adapter.subgroup_max_size) json["subgroupMaxSize"] = *adapter.subgroup_max_size;
  json["isFallbackAdapter"] = adapter.is_fallback_adapter;
  if (adapter.subgroup_matrix_configs) {
    json["subgroupMatrixConfigs"] = Json::array();
    for (const SubgroupMatrixConfig& config : *adapter.subgroup_matrix_configs) {
      json["subgroupMatrixConfigs"].push_back(Json{{"componentType", config.component_type},
                                                   {"resultComponentType", config.result_component_type},
                                                   {"M", config.m},
                                                   {"N", config.n},
                                                   {"K", config.k}});
    }
  }
  return json;
}

}  // namespace

DeviceProfile DeviceProfile::webgpu_defaults() {
  DeviceProfile profile;
  for (const DefaultLimit& limit : kDefaultLimits) profile.limits.emplace(limit.name, limit.value);
  return profile;
}

std::string DeviceProfile::to_json() const {
  Json json = Json::object();
  json["adapter"] = adapter_to_json(adapter);
  json["features"] = features;
  json["wgslLanguageFeatures"] = wgsl_language_features;
  json["limits"] = Json::object();
  for (const auto& [name, value] : limits) json["limits"][name] = value;
  // Driver names come from outside and need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<DeviceProfile> DeviceProfile::from_json(std::string_view text) {
  static const std::vector<std::string> kKnown = {"adapter", "features", "wgslLanguageFeatures", "limits"};
  Result<Json> parsed = base::parse_json(text, ErrorCode::kUsage);
  if (!parsed.ok()) return Error{ErrorCode::kUsage, "device profile: " + parsed.error().message};
  WGK_CHECK(expect_object(*parsed, ""));
  DeviceProfile profile = webgpu_defaults();
  for (const auto& [key, value] : parsed->items()) {
    const std::string at = base::pointer_child("", key);
    if (key == "adapter") {
      WGK_CHECK(read_adapter(value, at, profile.adapter));
    } else if (key == "features") {
      WGK_CHECK(read_names(value, at, profile.features));
    } else if (key == "wgslLanguageFeatures") {
      WGK_CHECK(read_names(value, at, profile.wgsl_language_features));
    } else if (key == "limits") {
      WGK_CHECK(read_limits(value, at, profile));
    } else {
      return unknown_member("", key, kKnown);
    }
  }
  return profile;
}

}  // namespace wgk::inline v0
