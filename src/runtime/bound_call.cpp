// Names and sizes of a call's tensors, before anything else looks at them.
#include "runtime/bound_call.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/try.h"
#include "package/model.h"
#include "runtime/call_options.h"

namespace wgk::runtime {
namespace {

using package::Direction;
using package::Manifest;
using package::Port;

Error bad(const Manifest& manifest, std::string_view key, std::string_view reason) {
  return Error{ErrorCode::kRequest, fmt::format("{}: {}: {}", manifest.op, key, reason)};
}

/// The bind key that `name` stands for among ports that `wanted` accepts: itself, or the one port of that ONNX name. A
/// bind key wins over an ONNX name. An unknown name comes back as it is, for the checks behind to refuse.
template <typename Wanted>
std::string_view bind_key(const Manifest& manifest, std::string_view name, Wanted wanted) {
  const Port* by_onnx_name = nullptr;
  int matches = 0;
  for (const Port& port : manifest.ports) {
    if (!wanted(port.direction)) continue;
    if (port.key == name) return name;
    if (port.onnx_name == name) {
      by_onnx_name = &port;
      ++matches;
    }
  }
  return matches == 1 ? std::string_view(by_onnx_name->key) : name;
}

Status check_size(const Manifest& manifest, std::string_view key, const HostTensor& tensor) {
  const auto count = element_count(tensor.shape);
  if (!count) return bad(manifest, key, fmt::format("shape {} is out of range", to_string(tensor.shape)));
  const auto bytes = base::checked_mul<std::uint64_t>(static_cast<std::uint64_t>(*count), dtype_size(tensor.dtype));
  if (bytes && *bytes == tensor.data.size()) return {};
  return bad(manifest, key,
             fmt::format("{} bytes of data, but {} {} needs {}", tensor.data.size(), dtype_name(tensor.dtype),
                         to_string(tensor.shape), bytes ? std::to_string(*bytes) : "more than 64 bits can count"));
}

/// Whether the manifest lets an attribute have that number. This is how a package says that it does more than the
/// standard contract of its operator.
bool allows(const Manifest& manifest, std::string_view attribute, double number) {
  for (const package::AttributeDecl& declared : manifest.attributes) {
    if (declared.name != attribute) continue;
    for (const jinja::Value& value : declared.values) {
      if (value.is_number() && value.as_number() == number) return true;
    }
    return declared.values.empty();
  }
  return false;
}

}  // namespace

Result<BoundCall> bind_call(const Package& package, const TensorMap& inputs, const RunOptions& options) {
  const Manifest& manifest = package.impl()->manifest;
  WGK_CHECK(check_options(manifest, options));
  BoundCall call;
  for (const auto& [name, tensor] : inputs) {
    const std::string key(bind_key(manifest, name, [](Direction d) { return d != Direction::kOutput; }));
    WGK_CHECK(check_size(manifest, key, tensor));
    if (!call.op_call.inputs.emplace(key, &tensor).second) {
      return bad(manifest, key, "given twice, by its bind key and by its ONNX name");
    }
    call.plan_request.inputs.emplace(key, TensorSpec{tensor.dtype, tensor.shape});
  }
  for (const std::string& name : options.outputs) {
    const std::string key(bind_key(manifest, name, [](Direction d) { return d != Direction::kInput; }));
    call.plan_request.wanted_outputs.push_back(key);
  }
  call.op_call.attributes = options.attrs;
  call.op_call.check_values = options.check == Check::kFull;
  call.op_call.extensions.packed_batching = allows(manifest, "is_packed_batching", 1);
  call.plan_request.attributes = options.attrs;
  call.plan_request.args = options.args;
  call.plan_request.tunables = options.tunables;
  call.plan_request.variant = options.variant;
  return call;
}

}  // namespace wgk::runtime
