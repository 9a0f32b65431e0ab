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

TEST(Load, MetadataThatCannotBeUsed) {
  Files files;
  files.files.erase("metadata.json");
  EXPECT_EQ(files.error(), "pkg: cannot read build/webgpu/metadata.json: no such file");
  const std::string spaces(1u << 20, ' ');
  const std::string good = Files().files["metadata.json"];
  files.files["metadata.json"] = good + spaces.substr(good.size());
  EXPECT_EQ(files.error(), "");
  files.files["metadata.json"] += ' ';
  EXPECT_EQ(files.error(),
            "pkg: cannot read build/webgpu/metadata.json: metadata.json is 1048577 bytes; the limit is 1048576");
  const std::pair<std::string, std::string> rows[] = {
      {"[]", "pkg: metadata.json does not parse: not an object"},
      {"3", "pkg: metadata.json does not parse: not an object"},
      {"", "pkg: metadata.json does not parse: the text is empty (line 1, column 1)"},
      {R"({"a": 1, "a": 2})", "pkg: metadata.json: duplicate key \"a\" (line 1, column 12)"},
      {"\"\xff\"", "pkg: metadata.json: invalid text (line 1, column 2)"},
      {std::string(65, '['), "pkg: metadata.json: JSON nesting exceeds 64 (line 1, column 65)"},
  };
  for (const auto& [text, error] : rows) {
    files.files["metadata.json"] = text;
    EXPECT_EQ(files.error(), error) << text;
  }
  files.files["metadata.json"] = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(files.error(), "pkg: metadata.json does not parse: not an object");
}

TEST(Load, ManifestThatCannotBeUsed) {
  EXPECT_EQ(Files("{}", "[]").error(), "pkg: manifest.json does not parse: not an object");
  EXPECT_EQ(Files("{}", R"({"a": {"b": 1, "b": 2}})").error(),
            "pkg: manifest.json: duplicate key \"b\" (line 1, column 18)");
  const std::string good = kManifest21;
  const std::string padded = good + std::string((4u << 20) - good.size(), ' ');
  EXPECT_EQ(Files("{}", padded).error(), "");
  EXPECT_EQ(Files("{}", padded + ' ').error(), "pkg: manifest.json is 4194305 bytes; the limit is 4194304");
  Files files;
  files.files.erase("manifest.json");
  EXPECT_EQ(files.error(), "pkg: cannot read build/webgpu/manifest.json: no such file");
}

TEST(Load, TemplatesNowOrWhenNeeded) {
  Files files;
  const auto resize = [&](std::size_t size) {
    files.files["copy.wgsl"] = std::string(size, ' ');
    auto metadata = nlohmann::json::parse(files.files["metadata.json"]);
    metadata["digest"]["files"]["copy.wgsl"] = base::sha256_base64(files.files["copy.wgsl"]);
    files.files["metadata.json"] = metadata.dump();
  };
  resize(1u << 20);
  EXPECT_EQ(files.error(), "");
  resize((1u << 20) + 1);
  const std::string error = "pkg: copy.wgsl is 1048577 bytes; the limit is 1048576";
  EXPECT_EQ(files.error(), error);
  LoadOptions later;
  later.require_all_templates = false;
  const auto loaded = load_package(MemorySource(files.files), "pkg", later);
  ASSERT_TRUE(loaded.ok());
  const auto& text = (*loaded)->templates.at("copy.wgsl").parsed();
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message, error);
}

TEST(Load, PassesRenderTemplatesThatMetadataLists) {
  EXPECT_EQ(
      Files(R"({"digest": {"files": {"other.wgsl": "x"}}, "webgpu": {"variants": {"plain": ["other.wgsl"]}}})").error(),
      "pkg: metadata webgpu.variants lists variant plain without copy.wgsl, which its pass pass_0 renders");
  const std::string old_one = R"json({"name": "Copy", "inputs": [{"role": "x", "dtype": "float32"}],
    "outputs": [{"role": "y"}], "args": {"x": {"kind": "tensor"}, "y": {"kind": "tensor", "role": "output"}},
    "variants": [{"id": "plain", "passes": [{"shader": "other.wgsl", "dispatch": {"x": 1}, "bindings":
      [{"name": "x", "buffer": {"type": "read-only-storage"}, "elementType": "f32"}]}]}]})json";
  EXPECT_EQ(Files(R"({"webgpu": {"manifestSpec": "1.0", "variants": null}})", old_one).error(),
            "pkg: variant plain pass pass_0 renders other.wgsl, which is not a template in metadata.digest.files");
}

TEST(Load, LongNamesAreComparedWhole) {
  const std::string name(300, 'n');
  std::string manifest = kManifest21;
  manifest.replace(manifest.find("Copy"), 4, name);
  EXPECT_EQ(Files("{\"name\": \"ai.onnx." + name + "\"}", manifest).error(), "");
  EXPECT_EQ(Files(R"({"name": null})").error(),
            "pkg: metadata name undefined does not match the manifest op id ai.onnx.Copy");
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

TEST(Load, FromMemory) {
  const auto load = [](const std::map<std::string, std::string>& files, const LoadOptions& options = {}) {
    const auto package = Package::from_memory(files, "mem", options);
    return package.ok() ? package->location() + " " + package->op() : package.error().message;
  };
  EXPECT_EQ(load(Files().files), "mem ai.onnx.Copy");
  EXPECT_EQ(load({{"manifest.json", kManifest21}}), "mem ai.onnx.Copy");
  EXPECT_EQ(load({{"copy.wgsl", ""}}), "mem: cannot read build/webgpu/manifest.json: no such file");
  EXPECT_EQ(load({{"manifest.json", kManifest21}, {"copy.wgsl", std::string((1u << 20) + 1, ' ')}}),
            "mem: copy.wgsl is 1048577 bytes; the limit is 1048576");
  LoadOptions options;
  options.expected_op = "ai.onnx.Add";
  EXPECT_EQ(load({{"manifest.json", kManifest21}}, options),
            "mem: expected op id ai.onnx.Add, artifact provides ai.onnx.Copy");
  // Without metadata the dialect is told by `inputs`: a list is 1.0.
  EXPECT_EQ(load({{"manifest.json", R"({"name": "A", "inputs": []})"}}),
            "WebGPU manifest ai.onnx.A requires outputs (manifest.json)");
  EXPECT_EQ(load({{"manifest.json", R"({"name": "A", "inputs": {}, "schemaVersion": 1})"}}),
            "WebGPU manifest ai.onnx.A has unknown top-level key \"schemaVersion\" (manifest.json: /schemaVersion)");
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
