// The packages and published manifests that are mutated, each with calls that it answers, and what their tests share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/package.hpp>
#include <wgk/tensor.hpp>

#include "mutations/mutator.h"
#include "package/cases.h"

namespace wgk::test {

/// What the mutated package is asked to do.
struct Call {
  std::map<std::string, HostTensor, std::less<>> inputs;
  Attributes attrs;
  Attributes args;

  PlanRequest plan_request() const {
    PlanRequest request;
    for (const auto& [key, tensor] : inputs) request.inputs.emplace(key, TensorSpec{tensor.dtype, tensor.shape});
    request.attributes = attrs;
    request.args = args;
    return request;
  }
};

struct Subject {
  std::string name;
  Mutator::Files files;
  std::vector<Call> calls;
};

inline std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::size_t bytes_of(const Call& call) {
  std::size_t bytes = 0;
  for (const auto& [key, tensor] : call.inputs) bytes += tensor.data.size();
  return bytes;
}

/// A package of kernels/ with some small cases of its test.json.
inline Subject first_party(const std::filesystem::path& folder) {
  Subject subject{folder.filename().string(), {}, {}};
  for (const auto& entry : std::filesystem::directory_iterator(folder / "build" / "webgpu")) {
    const std::string file = entry.path().filename().string();
    if (file == "manifest.json" || file.find(".wgsl") != std::string::npos) subject.files[file] = read_file(entry);
  }
  const auto cases = package::parse_test_file(read_file(folder / "build" / "webgpu" / "test.json"));
  if (!cases.ok()) return subject;
  for (std::size_t i = 0; i < cases->cases.size(); i += 1 + cases->cases.size() / 16) {
    const package::TestCase& test = cases->cases[i];
    if (!test.error.empty() || !test.expect_error.empty()) continue;
    Call call;
    for (const auto& [key, tensor] : test.inputs) call.inputs.emplace(key, tensor);
    call.attrs = test.attrs;
    call.args = test.args;
    if (bytes_of(call) < 65536) subject.calls.push_back(std::move(call));
  }
  return subject;
}

/// Two published manifests have every line in "| … |".
inline std::string unframed(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() == '|') line = line == "|" ? "" : line.substr(2, line.size() - 4);
    out += line + "\n";
  }
  return out;
}

inline HostTensor zeros(DType dtype, Shape shape) {
  const auto count = static_cast<std::size_t>(element_count(shape).value_or(0));
  return HostTensor{dtype, std::move(shape), std::vector<std::byte>(count * dtype_size(dtype))};
}

/// A published manifest with a template that writes nothing but binds all it is given.
inline std::optional<Subject> published(const std::string& number, const std::string& shader, Call call) {
  const std::filesystem::path folder = std::filesystem::path(WGK_SOURCE_DIR) / ".." / "shared" / "seeds";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().rfind(number, 0) != 0) continue;
    Subject subject{"seed_" + number, {}, {std::move(call)}};
    subject.files["manifest.json"] = unframed(read_file(entry.path()));
    subject.files[shader] = "{{ env.wgsl.resourceDeclarations }}\n@compute @workgroup_size(1)\nfn main() {}\n";
    return subject;
  }
  return std::nullopt;
}

inline Call rotary_call(Shape positions) {
  Call call;
  call.inputs = {{"x", zeros(DType::kFloat32, {1, 4, 16})},
                 {"cos", zeros(DType::kFloat32, {8, 4})},
                 {"sin", zeros(DType::kFloat32, {8, 4})},
                 {"positionIds", zeros(DType::kInt64, std::move(positions))}};
  call.attrs = {{"num_heads", 2}};
  return call;
}

/// The names of all subjects. The published manifests are not there on every machine.
inline std::vector<std::string> subject_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WGK_SOURCE_DIR) / "kernels")) {
    if (std::filesystem::exists(entry.path() / "build" / "webgpu" / "manifest.json")) {
      names.push_back(entry.path().filename().string());
    }
  }
  if (std::filesystem::exists(std::filesystem::path(WGK_SOURCE_DIR) / ".." / "shared" / "seeds")) {
    names.insert(names.end(), {"000", "002", "004"});
  }
  return names;
}

inline Subject make_subject(const std::string& name) {
  if (name == "000") return published(name, "rotary-embedding.wgsl.jinja", rotary_call({1, 4})).value();
  if (name == "002") {
    Call call = rotary_call({3, 1, 4});
    call.attrs.emplace("mrope_section", AttributeValue::List{2, 1, 1});
    return published(name, "mrotary-embedding.wgsl.jinja", std::move(call)).value();
  }
  if (name == "004") {
    Call call;
    call.inputs.emplace("embT", zeros(DType::kFloat32, {1, 3, 8}));
    for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) {
      call.inputs.emplace(key, zeros(DType::kFloat16, {1, 2, 3, 8}));
    }
    return published(name, "gemma-rotary-embedding.wgsl.jinja", std::move(call)).value();
  }
  return first_party(std::filesystem::path(WGK_SOURCE_DIR) / "kernels" / name);
}

/// Whether a message says where: the manifest, a template, or the operator with its part.
inline bool names_a_place(const std::string& message) {
  for (const char* place : {"manifest", ".wgsl", "WebGPU", "mutated", "variant", "RotaryEmbedding"}) {
    if (message.find(place) != std::string::npos) return true;
  }
  return false;
}

/// The name of a subject as gtest takes it.
inline std::string test_name(std::string name) {
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
}

}  // namespace wgk::test
