// bench.json and requests as calls to measure.
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <wgk/bench.hpp>
#include <wgk/limits.hpp>

#include "base/json.h"
#include "base/sha256.h"
#include "base/try.h"
#include "package/model.h"
#include "package/sources.h"
#include "runtime/attribute_json.h"
#include "runtime/tensor_from_json.h"

namespace wgk::inline v0 {
namespace {

namespace fs = std::filesystem;
using base::Json;
using base::pointer_child;

constexpr std::uint64_t kMostValueBytes = std::uint64_t{64} << 20;  ///< of values that a bench.json spells out

Error bad(const std::string& pointer, std::string_view reason) {
  return Error{ErrorCode::kPackage, fmt::format("bench.json: {}: {}", pointer, reason)};
}

Result<TensorSpec> read_spec(const Json& json, const std::string& pointer) {
  if (!json.is_object()) return bad(pointer, "must be an object {\"dtype\": …, \"shape\": […]}");
  for (const auto& [key, value] : json.items()) {
    if (key != "dtype" && key != "shape" && key != "data") {
      return bad(pointer_child(pointer, key), "unknown key; a tensor has dtype, shape and, where given, data");
    }
  }
  const auto dtype = json.find("dtype");
  if (dtype == json.end() || !dtype->is_string()) return bad(pointer_child(pointer, "dtype"), "must name a dtype");
  const auto known = dtype_from_name(dtype->get_ref<const std::string&>());
  if (!known) return bad(pointer_child(pointer, "dtype"), fmt::format("{} is not a dtype", dtype->dump()));
  const auto shape = json.find("shape");
  const std::string shape_pointer = pointer_child(pointer, "shape");
  if (shape == json.end() || !shape->is_array()) return bad(shape_pointer, "must be a list of dimensions");
  TensorSpec spec{*known, {}};
  for (const Json& dimension : *shape) {
    if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 0) {
      return bad(shape_pointer, fmt::format("{} is not a dimension", dimension.dump()));
    }
    spec.shape.push_back(dimension.get<std::int64_t>());
  }
  if (spec.shape.size() > limits::kMaxRank || !element_count(spec.shape)) {
    return bad(shape_pointer, fmt::format("{} is out of range", to_string(spec.shape)));
  }
  return spec;
}

Status read_input(BenchCase& result, const std::string& key, const Json& json, const std::string& pointer) {
  WGK_TRY(TensorSpec spec, read_spec(json, pointer));
  if (const auto data = json.find("data"); data != json.end()) {
    // A package must not make its user's files into inputs.
    if (data->is_object() && data->value("kind", Json()) == "npy") {
      return bad(pointer_child(pointer, "data"), "npy files are for requests; spell the values out or leave them out");
    }
    std::uint64_t budget = kMostValueBytes;
    auto tensor = runtime::tensor_from_json(json, pointer, key, {}, budget);
    if (!tensor) return Error{ErrorCode::kPackage, "bench.json: " + tensor.error().message};
    result.data.emplace(key, *std::move(tensor));
  }
  result.call.inputs.emplace(key, std::move(spec));
  return {};
}

Status read_outputs(BenchCase& result, const Json& json, const std::string& pointer) {
  if (json.is_array()) {
    for (const Json& name : json) {
      if (!name.is_string()) return bad(pointer, "must be a list of names of outputs");
      result.call.wanted_outputs.push_back(name.get<std::string>());
    }
    return {};
  }
  if (!json.is_object()) return bad(pointer, "must be a list of names or an object of tensors");
  for (const auto& [key, value] : json.items()) {
    WGK_TRY(TensorSpec spec, read_spec(value, pointer_child(pointer, key)));
    result.call.outputs.emplace(key, std::move(spec));
  }
  return {};
}

Result<BenchCase> read_case(const Json& json, const std::string& pointer) {
  if (!json.is_object()) return bad(pointer, "must be an object");
  BenchCase result;
  bool has_inputs = false;
  for (const auto& [key, value] : json.items()) {
    const std::string here = pointer_child(pointer, key);
    if (key == "name" && value.is_string()) {
      result.name = value.get<std::string>();
    } else if (key == "inputs" && value.is_object()) {
      has_inputs = true;
      for (const auto& [name, tensor] : value.items()) {
        WGK_CHECK(read_input(result, name, tensor, pointer_child(here, name)));
      }
    } else if (key == "attrs") {
      WGK_TRY(result.call.attrs, runtime::attribute_map(value, "bench.json: " + here, ErrorCode::kPackage));
    } else if (key == "args") {
      WGK_TRY(result.call.args, runtime::attribute_map(value, "bench.json: " + here, ErrorCode::kPackage));
    } else if (key == "outputs") {
      WGK_CHECK(read_outputs(result, value, here));
    } else {
      return bad(here, "unknown key, or a value of the wrong kind; a case has name, inputs, attrs, args and outputs");
    }
  }
  if (result.name.empty()) return bad(pointer, "has no name");
  if (!has_inputs) return bad(pointer, "has no inputs");
  return result;
}

Result<std::string> read_bench_file(const Package& package) {
  const std::string& location = package.location();
  const auto fail = [&](std::string_view reason) {
    return Error{ErrorCode::kPackage, fmt::format("{}: {}", location, reason)};
  };
  fs::path root = fs::u8path(location);
  std::error_code ignored;
  if (fs::is_directory(root / "build" / "webgpu", ignored)) root = root / "build" / "webgpu";
  if (!fs::exists(root / "bench.json", ignored)) return fail("has no build/webgpu/bench.json");
  auto text = package::read_contained(root, "bench.json", limits::kMaxBenchFileBytes);
  if (!text) return fail(text.error().message);
  const auto& digests = package.impl()->digests;
  const auto listed = digests.find("bench.json");
  if (listed == digests.end()) return fail("metadata digest.files does not include bench.json");
  const std::string digest = base::sha256_base64(*text);
  if (digest == listed->second) return text;
  return fail(fmt::format("bench.json does not match metadata.digest.files (got {})", digest));
}

}  // namespace

Result<std::vector<BenchCase>> parse_bench_cases(std::string_view text) {
  if (text.size() > limits::kMaxBenchFileBytes) {
    return Error{ErrorCode::kPackage,
                 fmt::format("bench.json is {} bytes; the limit is {}", text.size(), limits::kMaxBenchFileBytes)};
  }
  auto json = base::parse_json(text, ErrorCode::kPackage);
  if (!json) return Error{ErrorCode::kPackage, "bench.json does not parse: " + json.error().message};
  if (!json->is_object() || !json->contains("cases") || !(*json)["cases"].is_array()) {
    return bad("/cases", "must be a list of cases");
  }
  std::vector<BenchCase> cases;
  const Json& list = (*json)["cases"];
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = pointer_child("/cases", i);
    WGK_TRY(BenchCase one, read_case(list[i], pointer));
    for (const BenchCase& other : cases) {
      if (other.name == one.name) return bad(pointer, fmt::format("a second case named \"{}\"", one.name));
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

Result<std::vector<BenchCase>> load_bench_cases(const Package& package) {
  WGK_TRY(const std::string text, read_bench_file(package));
  auto cases = parse_bench_cases(text);
  if (cases) return cases;
  return Error{ErrorCode::kPackage, fmt::format("{}: {}", package.location(), cases.error().message)};
}

BenchCase bench_case_from_request(std::string name, Request request) {
  BenchCase result;
  result.name = std::move(name);
  for (const auto& [key, tensor] : request.inputs)
    result.call.inputs.emplace(key, TensorSpec{tensor.dtype, tensor.shape});
  result.data = std::move(request.inputs);
  result.call.attrs = std::move(request.options.attrs);
  result.call.args = std::move(request.options.args);
  result.call.variant = std::move(request.options.variant);
  result.call.tunables = std::move(request.options.tunables);
  result.call.wanted_outputs = std::move(request.options.outputs);
  return result;
}

}  // namespace wgk::inline v0
