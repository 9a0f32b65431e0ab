// Packages for the tests of verify, pack and new.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/wgk.h"

namespace wgk::test {

using ordered = nlohmann::ordered_json;
using Files = std::map<std::string, std::string>;

/// One case of the package y = x + x.
inline json doubling_case(const std::string& name = "two") {
  const auto tensor = [](json values) {
    return json{{"dtype", "float32"}, {"shape", {2}}, {"data", {{"kind", "values"}, {"values", std::move(values)}}}};
  };
  return {{"name", name}, {"inputs", {{"x", tensor({1, 2})}}}, {"outputs", {{"y", tensor({2, 4})}}}};
}

/// The small package with a test; `change` edits its manifest, `files` its files afterwards.
inline Files author_files(const std::function<void(ordered&)>& change = {}) {
  Files files = double_package_files();
  ordered manifest = ordered::parse(files["manifest.json"]);
  if (change) change(manifest);
  files["manifest.json"] = manifest.dump(2);
  files["test.json"] = json{{"cases", json::array({doubling_case()})}}.dump();
  return files;
}

/// metadata.json that is right for the files: every variant needs double.wgsl.jinja, and `more`.
inline std::string author_metadata(const Files& files, const std::vector<std::string>& more = {}) {
  json metadata = json::parse(metadata_for(files, "test.Double", "double.wgsl.jinja"));
  const json manifest = json::parse(files.at("manifest.json"));
  std::vector<std::string> templates = {"double.wgsl.jinja"};
  templates.insert(templates.end(), more.begin(), more.end());
  metadata["webgpu"]["variants"] = json::object();
  for (const json& variant : manifest["variants"]) {
    metadata["webgpu"]["variants"][variant["id"].get<std::string>()] = templates;
  }
  return metadata.dump();
}

inline std::string write_author_package(const TemporaryFolder& folder, const Files& files,
                                        const std::vector<std::string>& more = {}) {
  return write_package(folder, "p", files, author_metadata(files, more));
}

}  // namespace wgk::test
