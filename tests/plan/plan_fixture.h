// Packages for planning tests: seeds read in place, and small manifests with tiny templates.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "package/load.h"
#include "plan/make_plan.h"

namespace wgk::plan::testing_support {

using PackagePtr = std::shared_ptr<const package::LoadedPackage>;

/// The text of a seed, unwrapped from its `| … |` lines where it has them; nullopt when the seeds are not there.
inline std::optional<std::string> read_seed(std::string_view prefix) {
  const std::filesystem::path folder = std::filesystem::path(WGK_SOURCE_DIR) / ".." / "shared" / "seeds";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().rfind(prefix, 0) != 0) continue;
    std::ifstream file(entry.path());
    std::string text, line;
    while (std::getline(file, line)) {
      if (!line.empty() && line.front() == '|') {
        line = line == "|" ? "" : line.substr(2, line.size() - 4);
      }
      text += line + "\n";
    }
    return text;
  }
  return std::nullopt;
}

inline PackagePtr load(std::string_view manifest, const std::map<std::string, std::string>& templates) {
  auto loaded = package::load_unverified(manifest, templates, "test");
  if (!loaded.ok()) {
    ADD_FAILURE() << loaded.error().message;
    return nullptr;
  }
  return *std::move(loaded);
}

inline constexpr std::string_view kTemplate =
    "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1)\nfn main() {}\n";

/// A seed with a template that only declares its bindings; nullptr when the seeds are not there.
inline PackagePtr load_seed(std::string_view prefix, const std::string& shader) {
  const auto manifest = read_seed(prefix);
  return manifest ? load(*manifest, {{shader, std::string(kTemplate)}}) : nullptr;
}

inline PackagePtr rotary() { return load_seed("000_", "rotary-embedding.wgsl.jinja"); }
inline PackagePtr mrotary() { return load_seed("002_", "mrotary-embedding.wgsl.jinja"); }
inline PackagePtr gemma() { return load_seed("004_", "gemma-rotary-embedding.wgsl.jinja"); }

inline DeviceProfile f16_profile() {
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.features.insert("shader-f16");
  return profile;
}

inline DeviceProfile lavapipe_profile() {
  DeviceProfile profile = f16_profile();
  profile.features.insert("timestamp-query");
  profile.limits["maxBufferSize"] = 2147483647;
  profile.limits["maxStorageBufferBindingSize"] = 134217728;
  profile.adapter.vendor = "mesa";
  profile.adapter.is_fallback_adapter = true;
  return profile;
}

/// The call of package-format section 8.
inline PlanRequest rotary_request() {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat32, {1, 4, 16}}},
                    {"cos", {DType::kFloat32, {8, 4}}},
                    {"sin", {DType::kFloat32, {8, 4}}},
                    {"positionIds", {DType::kInt64, {1, 4}}}};
  request.attributes = {{"num_heads", 2}};
  return request;
}

inline PlanRequest mrotary_request() {
  PlanRequest request = rotary_request();
  request.inputs["positionIds"] = {DType::kInt64, {3, 1, 4}};
  request.attributes = {{"num_heads", 2}, {"mrope_section", AttributeValue::List{2, 1, 1}}};
  return request;
}

inline PlanRequest gemma_request() {
  PlanRequest request;
  request.inputs["embT"] = {DType::kFloat32, {1, 3, 8}};
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) request.inputs[key] = {DType::kFloat16, {1, 2, 3, 8}};
  return request;
}

/// "20000000 04000000": groups of four bytes.
inline std::string hex_words(const std::vector<std::byte>& bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0 && i % 4 == 0) text += ' ';
    text += kHex[std::to_integer<unsigned>(bytes[i]) >> 4];
    text += kHex[std::to_integer<unsigned>(bytes[i]) & 15];
  }
  return text;
}

}  // namespace wgk::plan::testing_support
