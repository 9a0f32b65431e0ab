// Package folders made for a test: right in everything but what the test spoils.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/sha256.h"

namespace wgk::test {

/// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> counter{0};
    path_ = std::filesystem::temp_directory_path() /
            ("wgk-test-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, and its folders, below this one.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

/// The files of a small package of an operator that the library has no code for, y = x + x. Paths are below
/// build/webgpu/.
inline std::map<std::string, std::string> double_package_files() {
  return {{"manifest.json", R"json({
  "domain": "test", "name": "Double",
  "inputs": {"x": {"onnx": "X", "dtype": "T"}},
  "outputs": {"y": {"onnx": "Y", "dtype": "T", "shape": "shapes.x"}},
  "typeConstraints": {"T": ["float32", "int32"]},
  "variants": [{"id": "only", "passes": [{"id": "main", "shader": "double.wgsl.jinja",
    "bindings": ["x", "y", {"name": "params", "struct": [{"name": "count", "type": "u32", "value": "numel(shapes.x)"}]}],
    "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]}]
})json"},
          {"double.wgsl.jinja", R"wgsl({{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.x + id.y * groups.x * 64u;
  if (i < params.count) { y[i] = x[i] + x[i]; }
}
)wgsl"}};
}

/// metadata.json with the digests of `files`, of a package with one variant "only".
inline std::string metadata_for(const std::map<std::string, std::string>& files, const std::string& op,
                                const std::string& shader) {
  nlohmann::json metadata = {{"name", op},
                             {"version", 1},
                             {"backend", {{"type", "webgpu"}}},
                             {"digest", {{"algorithm", "sha256"}, {"files", nlohmann::json::object()}}},
                             {"webgpu", {{"manifestSpec", "2.1"}, {"variants", {{"only", {shader}}}}}}};
  for (const auto& [path, text] : files) metadata["digest"]["files"][path] = base::sha256_base64(text);
  return metadata.dump();
}

/// Writes the package below `folder`/`name` and returns its location. `files` may differ from what was digested.
inline std::string write_package(const TemporaryFolder& folder, const std::string& name,
                                 const std::map<std::string, std::string>& files, const std::string& metadata) {
  for (const auto& [path, text] : files) folder.write(name + "/build/webgpu/" + path, text);
  folder.write(name + "/build/webgpu/metadata.json", metadata);
  return (folder.path() / name).string();
}

}  // namespace wgk::test
