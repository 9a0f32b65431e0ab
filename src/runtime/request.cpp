// Reads a request: the inputs and attributes of one call.
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/limits.hpp>
#include <wgk/request.hpp>

#include "base/json.h"
#include "base/out_of_memory.h"
#include "base/try.h"
#include "runtime/attribute_json.h"
#include "runtime/read_request.h"
#include "runtime/tensor_from_json.h"

namespace wgk {
namespace runtime {
namespace {

using base::Json;
using base::pointer_child;

Error bad(std::string message) { return Error{ErrorCode::kRequest, "request: " + std::move(message)}; }

/// A case of test.json is a request, so its other keys are no mistakes; any further key is.
Status check_top_level_keys(const Json& json) {
  static const std::vector<std::string> kKnown = {"inputs",  "attrs",         "args",        "outputs", "name",
                                                  "skipGpu", "expectVariant", "expectError", "check",   "provenance"};
  for (const auto& [key, value] : json.items()) {
    bool found = false;
    for (const std::string& name : kKnown) found = found || name == key;
    if (found) continue;
    const std::string near = base::nearest(key, kKnown);
    return bad(near.empty() ? fmt::format("unknown key \"{}\"", key)
                            : fmt::format("unknown key \"{}\"; did you mean \"{}\"?", key, near));
  }
  return {};
}

/// Outputs asked for: a list of keys, or a map whose keys they are (as in a test case).
Result<std::vector<std::string>> read_outputs(const Json& json) {
  std::vector<std::string> names;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) names.push_back(key);
    return names;
  }
  if (!json.is_array()) return bad("/outputs: must be a list of output names");
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_string()) return bad(fmt::format("/outputs/{}: must be the name of an output", i));
    names.push_back(json[i].get<std::string>());
  }
  return names;
}

Result<TensorMap> read_inputs(const Json& json, const std::filesystem::path& base, std::uint64_t budget) {
  if (!json.is_object()) return bad("/inputs: must be an object of tensors by name");
  TensorMap inputs;
  for (const auto& [name, value] : json.items()) {
    WGK_TRY(HostTensor tensor, tensor_from_json(value, pointer_child("/inputs", name), name, base, budget));
    inputs.emplace(name, std::move(tensor));
  }
  return inputs;
}

}  // namespace

Result<Request> read_request(std::string_view text, const std::filesystem::path& base,
                             std::uint64_t max_tensor_bytes) try {
  if (text.size() > limits::kMaxRequestText) {
    return bad(
        fmt::format("{} bytes; the limit is {} (put large data in npy files)", text.size(), limits::kMaxRequestText));
  }
  auto parsed = base::parse_json(text, ErrorCode::kRequest);
  if (!parsed) return bad("does not parse: " + parsed.error().message);
  const Json& json = *parsed;
  if (!json.is_object()) return bad("must be an object {\"inputs\": …, \"attrs\": …}");
  WGK_CHECK(check_top_level_keys(json));

  Request request;
  const auto inputs = json.find("inputs");
  if (inputs == json.end()) return bad("inputs is missing");
  WGK_TRY(request.inputs, read_inputs(*inputs, base, max_tensor_bytes));
  const auto attributes = [&](const char* key, Attributes& target) -> Status {
    const auto found = json.find(key);
    if (found == json.end()) return {};
    WGK_TRY(target, attribute_map(*found, fmt::format("request: /{}", key), ErrorCode::kRequest));
    return {};
  };
  WGK_CHECK(attributes("attrs", request.options.attrs));
  WGK_CHECK(attributes("args", request.options.args));
  if (const auto outputs = json.find("outputs"); outputs != json.end()) {
    WGK_TRY(request.options.outputs, read_outputs(*outputs));
  }
  if (const auto check = json.find("check"); check != json.end()) {
    if (*check != "full" && *check != "none") return bad("/check: must be \"full\" or \"none\"");
    request.options.check = *check == "none" ? Check::kNone : Check::kFull;
  }
  return request;
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

}  // namespace runtime

inline namespace v0 {

Result<Request> request_from_json(std::string_view text, const std::filesystem::path& base) {
  return runtime::read_request(text, base, limits::kMaxRequestBytes);
}

}  // namespace v0
}  // namespace wgk
