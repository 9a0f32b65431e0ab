// The load order of a package: one bad package per check, with its whole error.
#include "package/load.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/sha256.h"
#include "package/sources.h"

namespace wgk::package {
namespace {

using base::Json;

const char* const kManifest21 = R"json({"name": "Copy", "inputs": {"x": {"dtype": "float32"}},
  "outputs": {"y": {"dtype": "float32", "shape": "shapes.x"}},
  "variants": [{"id": "plain", "passes": [{"shader": "copy.wgsl", "bindings": ["x", "y"],
                "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]}]})json";

/// A good package, changed by a JSON merge patch of metadata.json.
struct Files {
  std::map<std::string, std::string> files;

  explicit Files(const std::string& patch = "{}", const std::string& manifest = kManifest21) {
    files["manifest.json"] = manifest;
    files["copy.wgsl"] = "fn main() {}\n";
    nlohmann::json metadata = nlohmann::json::parse(R"({"name": "ai.onnx.Copy", "backend": {"type": "webgpu"},
      "digest": {"algorithm": "sha256", "files": {}},
      "webgpu": {"manifestSpec": "2.1", "variants": {"plain": ["copy.wgsl"]}}})");
    for (const char* path : {"manifest.json", "copy.wgsl"}) {
      metadata["digest"]["files"][path] = base::sha256_base64(files[path]);
    }
    metadata.merge_patch(nlohmann::json::parse(patch));
    files["metadata.json"] = metadata.dump();
  }

  std::string error(const LoadOptions& options = {}, std::string_view repository = {}) const {
    const auto loaded = load_package(MemorySource(files), "pkg", options, repository);
    return loaded.ok() ? "" : loaded.error().message;
  }
};

TEST(Load, GoodPackage) { EXPECT_EQ(Files().error(), ""); }

TEST(Load, MetadataRows) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"backend": {"type": "cuda"}})", "pkg: metadata backend.type is \"cuda\", not \"webgpu\""},
      {R"({"backend": null})", "pkg: metadata backend.type is undefined, not \"webgpu\""},
      {R"({"webgpu": {"manifestSpec": "two"}})", "pkg: manifest spec version \"two\" is not \"<major>.<minor>\""},
      {R"({"webgpu": {"manifestSpec": "2.0"}})",
       "pkg: manifest spec 2.0 is not supported by this runtime (supports 1.0, 2.1). The artifact was packed for a "
       "different pre-release manifest contract."},
      {R"({"digest": {"algorithm": "md5"}})", "pkg: metadata digest.algorithm is \"md5\", not \"sha256\""},
      {R"({"digest": {"files": 3}})", "pkg: metadata digest.files is not a record"},
      {R"({"digest": {"files": {"../x": "a"}}})",
       "pkg: metadata digest path \"../x\" is not a canonical relative path"},
      {R"({"digest": {"files": {"a.json": 4}}})", "pkg: metadata digest for a.json is not a string"},
      {R"({"digest": {"files": {"manifest.json": null}}})",
       "pkg: metadata digest.files does not include manifest.json"},
      {R"({"webgpu": {"variants": 1}})",
       "pkg: metadata webgpu.variants is not a record of variant id -> template paths"},
      {R"({"webgpu": {"variants": {"-": ["copy.wgsl"]}}})",
       "pkg: metadata webgpu.variants names \"-\", which is not a variant id"},
      {R"({"webgpu": {"variants": {"plain": []}}})",
       "pkg: metadata webgpu.variants[plain] is not a non-empty list of template paths"},
      {R"({"webgpu": {"variants": {"plain": ["b.wgsl"]}}})",
       "pkg: metadata webgpu.variants[plain] lists \"b.wgsl\", which is not a template in metadata.digest.files"},
      {R"({"webgpu": {"variants": {"plain": null}}})", "pkg: metadata webgpu.variants lists no variant"},
      {R"({"name": "ai.onnx.Other"})",
       "pkg: metadata name ai.onnx.Other does not match the manifest op id ai.onnx.Copy"},
      {R"({"webgpu": {"variants": {"other": ["copy.wgsl"], "plain": null}}})",
       "pkg: metadata webgpu.variants does not list variant plain, which the manifest declares"},
      {R"({"webgpu": {"variants": {"other": ["copy.wgsl"]}}})",
       "pkg: metadata webgpu.variants lists variant other, which the manifest does not declare"},
  };
  for (const auto& [patch, expected] : rows) EXPECT_EQ(Files(patch).error(), expected) << patch;
}

TEST(Load, ChangedBytesAreRefused) {
  Files manifest;
  manifest.files["manifest.json"] += " ";
  EXPECT_EQ(manifest.error(), "pkg: manifest.json does not match metadata.digest.files (got " +
                                  base::sha256_base64(manifest.files["manifest.json"]) + ")");
  LoadOptions unchecked;
  unchecked.verify_digests = false;
  EXPECT_EQ(manifest.error(unchecked), "");
  Files shader;
  shader.files["copy.wgsl"] = "abc";
  EXPECT_EQ(shader.error(),
            "pkg: copy.wgsl does not match metadata.digest.files (got "
            "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=)");
}

TEST(Load, NamesAskedFor) {
  EXPECT_EQ(Files().error({}, "ai.onnx.Add"),
            "pkg: repo basename ai.onnx.Add does not match the manifest op id ai.onnx.Copy");
  LoadOptions options;
  options.expected_op = "ai.onnx.Add";
  EXPECT_EQ(Files().error(options), "pkg: expected op id ai.onnx.Add, artifact provides ai.onnx.Copy");
}

TEST(Load, UnknownKeyNamesPlaceAndSuggestion) {
  std::string text = kManifest21;
  text.replace(text.find("\"variants\""), 10, "\"tunabels\": {}, \"variants\"");
  const auto loaded = load_unverified(text, {}, "pkg");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message,
            "WebGPU manifest ai.onnx.Copy has unknown top-level key \"tunabels\"; did you mean \"tunables\"? "
            "(manifest.json: /tunabels)");
}

}  // namespace
}  // namespace wgk::package
