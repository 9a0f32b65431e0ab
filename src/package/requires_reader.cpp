// requires: what a variant needs of the device.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/js_number.h"
#include "base/try.h"
#include "package/parts.h"

namespace wgk::package {
namespace {

constexpr auto kFeatures = std::to_array<std::string_view>({"shader-f16", "subgroups", "subgroup-size-control",
                                                            "chromium-experimental-subgroup-matrix", "timestamp-query",
                                                            "texture-formats-tier1", "texture-formats-tier2"});

constexpr auto kLimits = std::to_array<std::string_view>({"maxTextureDimension1D",
                                                          "maxTextureDimension2D",
                                                          "maxTextureDimension3D",
                                                          "maxTextureArrayLayers",
                                                          "maxBindGroups",
                                                          "maxBindGroupsPlusVertexBuffers",
                                                          "maxBindingsPerBindGroup",
                                                          "maxDynamicUniformBuffersPerPipelineLayout",
                                                          "maxDynamicStorageBuffersPerPipelineLayout",
                                                          "maxSampledTexturesPerShaderStage",
                                                          "maxSamplersPerShaderStage",
                                                          "maxStorageBuffersPerShaderStage",
                                                          "maxStorageBuffersInVertexStage",
                                                          "maxStorageBuffersInFragmentStage",
                                                          "maxStorageTexturesPerShaderStage",
                                                          "maxStorageTexturesInVertexStage",
                                                          "maxStorageTexturesInFragmentStage",
                                                          "maxUniformBuffersPerShaderStage",
                                                          "maxUniformBufferBindingSize",
                                                          "maxStorageBufferBindingSize",
                                                          "minUniformBufferOffsetAlignment",
                                                          "minStorageBufferOffsetAlignment",
                                                          "maxVertexBuffers",
                                                          "maxBufferSize",
                                                          "maxVertexAttributes",
                                                          "maxVertexBufferArrayStride",
                                                          "maxInterStageShaderVariables",
                                                          "maxColorAttachments",
                                                          "maxColorAttachmentBytesPerSample",
                                                          "maxComputeWorkgroupStorageSize",
                                                          "maxComputeInvocationsPerWorkgroup",
                                                          "maxComputeWorkgroupSizeX",
                                                          "maxComputeWorkgroupSizeY",
                                                          "maxComputeWorkgroupSizeZ",
                                                          "maxComputeWorkgroupsPerDimension",
                                                          "maxImmediateSize"});

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Status read_features(const Node& node, bool known_only, Requires& out) {
  WGK_TRY(std::vector<std::string> features, node.string_list());
  WGK_CHECK(node.charge(features.size()));
  for (std::size_t index = 0; index < features.size(); ++index) {
    std::string& feature = features[index];
    if (known_only && !contains(kFeatures, feature)) {
      return node.at(index).fail_here(
          fmt::format("is \"{}\", which is not a feature{}", printable(feature), suggestion(feature, kFeatures)));
    }
    if (std::find(out.features.begin(), out.features.end(), feature) == out.features.end()) {
      out.features.push_back(std::move(feature));
    }
  }
  return {};
}

Status read_limits(const Node& node, bool known_only, Requires& out) {
  WGK_CHECK(node.require_object());
  WGK_CHECK(node.charge(node.size()));
  return for_each_member(node, [&](std::string_view name, const Node& value) -> Status {
    if (known_only && !contains(kLimits, name)) {
      return value.fail(fmt::format("WebGPU manifest {}: \"{}\" is not a WebGPU limit{}", node.context().op,
                                    printable(name), suggestion(name, kLimits)));
    }
    WGK_TRY(const std::uint64_t limit, value.unsigned_integer(limits::kMaxSafeInteger));
    out.limits.emplace_back(name, limit);
    return {};
  });
}

Status read_matrix_configs(const Node& node, Requires& out) {
  WGK_CHECK(node.require_non_empty_array());
  return for_each_item(node, [&](std::size_t, const Node& item) -> Status {
    WGK_CHECK(item.require_object());
    WGK_CHECK(item.charge(1 + item.size()));
    MatrixConfig config;
    WGK_CHECK(for_each_member(item, [&](std::string_view name, const Node& value) -> Status {
      if (value.tree().is_string()) {
        config.emplace(std::string(name), std::string(value.tree().text()));
        return {};
      }
      WGK_TRY(const double number, value.number());
      config.emplace(std::string(name), base::js_number(number));
      return {};
    }));
    out.subgroup_matrix_configs.push_back(std::move(config));
    return {};
  });
}

}  // namespace

Result<Requires> read_requires(const Node& node, std::string_view where, bool known_names_only) {
  static constexpr auto kKeys =
      std::to_array<std::string_view>({"features", "limits", "subgroupMinSize", "subgroupMatrixConfigs"});
  WGK_CHECK(node.known_keys(fmt::format("{} requires", where), kKeys));
  Requires out;
  if (node.has("features")) WGK_CHECK(read_features(node.at("features"), known_names_only, out));
  if (node.has("limits")) WGK_CHECK(read_limits(node.at("limits"), known_names_only, out));
  if (node.has("subgroupMinSize")) {
    WGK_TRY(const std::uint64_t size,
            node.at("subgroupMinSize").unsigned_integer(std::numeric_limits<std::uint32_t>::max()));
    out.subgroup_min_size = static_cast<std::uint32_t>(size);
  }
  if (node.has("subgroupMatrixConfigs")) WGK_CHECK(read_matrix_configs(node.at("subgroupMatrixConfigs"), out));
  return out;
}

Result<Requires> merge_requires(const Requires& outer, const Requires& inner, const Node& node) {
  Requires out = outer;
  for (const std::string& feature : inner.features) {
    if (std::find(out.features.begin(), out.features.end(), feature) == out.features.end()) {
      out.features.push_back(feature);
    }
  }
  for (const auto& [name, value] : inner.limits) {
    const auto same = std::find_if(out.limits.begin(), out.limits.end(),
                                   [&, key = std::string_view(name)](const auto& limit) { return limit.first == key; });
    if (same == out.limits.end()) {
      out.limits.emplace_back(name, value);
    } else {
      same->second = std::max(same->second, value);
    }
  }
  if (inner.subgroup_min_size) {
    out.subgroup_min_size = std::max(out.subgroup_min_size.value_or(0), *inner.subgroup_min_size);
  }
  if (!outer.subgroup_matrix_configs.empty() && !inner.subgroup_matrix_configs.empty()) {
    return node.fail(
        fmt::format("WebGPU manifest {}: subgroupMatrixConfigs may be given by the manifest or by a variant, "
                    "not by both",
                    node.context().op));
  }
  if (outer.subgroup_matrix_configs.empty()) out.subgroup_matrix_configs = inner.subgroup_matrix_configs;
  return out;
}

}  // namespace wgk::package
