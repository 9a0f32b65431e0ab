// Dialect 1.0: inputs, outputs and args become ports and scalars.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/v1/sections.h"

namespace wgk::package::v1 {
namespace {

constexpr auto kInputKeys =
    std::to_array<std::string_view>({"role", "dtype", "rank", "optional", "description", "shape"});
constexpr auto kArgKeys = std::to_array<std::string_view>(
    {"kind", "semantic", "role", "dtype", "narrowing", "required", "oneOf", "description"});

/// A tensor argument as written, before its port is known.
struct TensorArg {
  std::string key;
  std::string semantic;
  std::string role;
  Node node;
  bool used = false;
  bool written = false;  ///< by the output port of an inout argument

  bool reads() const { return role != "output"; }
  bool writes() const { return role == "output" || role == "inout"; }
};

Result<TensorArg> read_tensor_arg(std::string_view key, const Node& node) {
  TensorArg arg{std::string(key), std::string(key), "input", node};
  WGK_TRY(arg.semantic, node.string_or("semantic", arg.key));
  WGK_TRY(arg.role, node.string_or("role", "input"));
  if (arg.role != "input" && arg.role != "output" && arg.role != "inout" && arg.role != "weights") {
    return node.at("role").fail_here(
        fmt::format("must be input, output, inout or weights, got \"{}\"", printable(arg.role)));
  }
  return arg;
}

Result<ScalarArg> read_scalar(std::string_view key, const Node& node) {
  ScalarArg scalar;
  scalar.name = key;
  WGK_TRY(scalar.kind, read_scalar_kind(node.at("kind")));
  WGK_TRY(scalar.required, node.boolean_or("required", true));
  WGK_TRY(scalar.description, node.string_or("description", ""));
  if (node.has("oneOf")) {
    WGK_TRY(scalar.one_of, node.at("oneOf").string_list());
    if (scalar.kind != ScalarArg::Kind::kString || scalar.one_of.empty()) {
      return node.at("oneOf").fail_here("must be a non-empty list and belongs to string arguments only");
    }
  }
  return scalar;
}

/// The storage dtype of a tensor argument: a logical dtype of its port, or 32 bits of an int64.
Status read_storage(const TensorArg& arg, const Manifest& manifest, Port& port) {
  std::optional<Port::Narrowing> narrowing;
  if (arg.node.has("narrowing")) {
    WGK_TRY(narrowing, read_narrowing(arg.node.at("narrowing")));
  }
  if (!arg.node.has("dtype")) return {};
  const Node node = arg.node.at("dtype");
  WGK_TRY(const DType storage, read_storage_dtype(node, false));
  const std::vector<DType> logical = admitted_dtypes(manifest, port.dtype);
  const bool only_int64 = logical.size() == 1 && logical[0] == DType::kInt64;
  const bool projected = only_int64 && (storage == DType::kUint32 || storage == DType::kInt32);
  const bool same = logical.empty() || std::find(logical.begin(), logical.end(), storage) != logical.end();
  if (!projected && !same) {
    return node.fail_here(
        fmt::format("is {}, which cannot store the logical dtype {}", dtype_name(storage), port.dtype));
  }
  port.storage = storage;
  if (!projected || port.direction == Direction::kOutput) return {};
  if (!narrowing) {
    return arg.node.fail(fmt::format("{}.{}: a projected int64 input must declare narrowing as checked or saturating",
                                     manifest.op, arg.key));
  }
  port.narrowing = *narrowing;
  return {};
}

Result<Port> make_port(const Node& node, const TensorArg& arg, Direction direction, const Manifest& manifest) {
  Port port;
  port.key = arg.key;
  port.onnx_name = arg.semantic;
  port.direction = direction;
  port.rank_text = rank_text(node);
  WGK_TRY(port.description, node.string_or("description", ""));
  if (node.has("dtype")) {
    WGK_TRY(port.dtype, read_port_dtype(node.at("dtype")));
  } else if (direction != Direction::kOutput) {
    return node.fail_here("must have dtype");
  }
  WGK_TRY(const bool optional, node.boolean_or("optional", false));
  WGK_TRY(const bool required, arg.node.boolean_or("required", true));
  port.optional = optional || !required;
  if (direction == Direction::kOutput && node.has("shape")) {
    WGK_TRY(port.shape, read_shape(node.at("shape")));
  }
  WGK_CHECK(read_storage(arg, manifest, port));
  return port;
}

class CallSide {
 public:
  CallSide(const Node& root, Manifest& manifest) : root_(root), manifest_(manifest) {}

  Status read() {
    WGK_CHECK(read_args());
    WGK_CHECK(read_ports("inputs", false));
    WGK_CHECK(read_ports("outputs", true));
    for (const TensorArg& arg : tensors_) {
      if (!arg.used) {
        return arg.node.fail(fmt::format("WebGPU manifest {} arg {} has semantic \"{}\", which is no {} role",
                                         root_.context().op, arg.key, printable(arg.semantic), arg.role));
      }
    }
    name_ports(manifest_, roles_);
    return {};
  }

 private:
  Status read_args() {
    if (!root_.has("inputs") || !root_.at("inputs").tree().is_list()) {
      return root_.fail(fmt::format("WebGPU manifest {} requires inputs", root_.context().op));
    }
    if (!root_.has("outputs") || !root_.at("outputs").tree().is_list()) {
      return root_.fail(fmt::format("WebGPU manifest {} requires outputs", root_.context().op));
    }
    if (!root_.has("args") || !root_.at("args").tree().is_map() || root_.at("args").tree().empty()) {
      return root_.fail(fmt::format("WebGPU manifest {} requires explicit args", root_.context().op));
    }
    const Node args = root_.at("args");
    WGK_CHECK(args.limit(root_.context().op, "ports and scalars", args.size(), limits::kMaxPorts));
    return for_each_member(args, [&](std::string_view key, const Node& node) -> Status {
      if (!is_identifier(key)) {
        return node.fail(
            fmt::format("WebGPU manifest {}: \"{}\" is not an arg name", root_.context().op, printable(key)));
      }
      WGK_CHECK(node.require_object());
      node.warn_unknown_keys(kArgKeys);
      if (!node.has("kind")) return node.fail_here("must have kind");
      if (node.at("kind").tree().is("tensor")) {
        WGK_TRY(TensorArg arg, read_tensor_arg(key, node));
        tensors_.push_back(std::move(arg));
        return {};
      }
      WGK_TRY(ScalarArg scalar, read_scalar(key, node));
      manifest_.scalars.push_back(std::move(scalar));
      return {};
    });
  }

  Status read_ports(std::string_view key, bool outputs) {
    const Node list = root_.at(key);
    WGK_CHECK(list.limit(root_.context().op, key, list.size(), limits::kMaxPorts));
    return for_each_item(list, [&](std::size_t, const Node& node) -> Status {
      WGK_CHECK(node.require_object());
      node.warn_unknown_keys(kInputKeys);
      if (!node.has("role")) return node.fail_here("must have role");
      WGK_TRY(const std::string role, node.at("role").non_empty_string());
      return read_port(node, role, outputs);
    });
  }

  Status read_port(const Node& node, const std::string& role, bool outputs) {
    TensorArg* found = nullptr;
    for (TensorArg& arg : tensors_) {
      if (arg.semantic != role || !(outputs ? arg.writes() : arg.reads())) continue;
      if (found != nullptr) {
        return node.fail(fmt::format("WebGPU manifest {} role \"{}\" has two tensor args, {} and {}",
                                     root_.context().op, printable(role), found->key, arg.key));
      }
      found = &arg;
    }
    if (found == nullptr) {
      return node.fail(fmt::format("WebGPU manifest {} {} role \"{}\" has no tensor arg with that semantic",
                                   root_.context().op, outputs ? "output" : "input", printable(role)));
    }
    if (outputs && found->role == "inout") return finish_inout(node, *found);
    if (found->used) {
      return node.fail(
          fmt::format("WebGPU manifest {} declares role \"{}\" twice", root_.context().op, printable(role)));
    }
    found->used = true;
    const Direction direction = outputs                  ? Direction::kOutput
                                : found->role == "inout" ? Direction::kInout
                                                         : Direction::kInput;
    WGK_TRY(Port port, make_port(node, *found, direction, manifest_));
    manifest_.ports.push_back(std::move(port));
    roles_.push_back(found->role);
    return {};
  }

  /// The output side of an inout argument adds nothing but its shape to the port that the input made.
  Status finish_inout(const Node& node, TensorArg& arg) {
    if (arg.written) {
      return node.fail(
          fmt::format("WebGPU manifest {} declares role \"{}\" twice", root_.context().op, printable(arg.semantic)));
    }
    arg.written = true;
    for (Port& port : manifest_.ports) {
      if (port.key != arg.key) continue;
      if (node.has("dtype")) {
        WGK_TRY(const std::string dtype, read_port_dtype(node.at("dtype")));
        if (dtype != port.dtype)
          return node.fail_here("is an input and an output and must have the same dtype in both");
      }
      if (node.has("shape")) {
        WGK_TRY(port.shape, read_shape(node.at("shape")));
      }
      return {};
    }
    return node.fail(fmt::format("WebGPU manifest {} inout arg {} has no input of role \"{}\"", root_.context().op,
                                 arg.key, printable(arg.semantic)));
  }

  const Node& root_;
  Manifest& manifest_;
  std::vector<TensorArg> tensors_;
  std::vector<std::string> roles_;
};

}  // namespace

Status read_call_side(const Node& root, Manifest& manifest) { return CallSide(root, manifest).read(); }

void name_ports(Manifest& manifest, const std::vector<std::string>& roles) {
  constexpr std::size_t kShared = SIZE_MAX;
  std::map<std::string, std::size_t, std::less<>> claims;
  const auto claim = [&](const std::string& name, std::size_t port) {
    const auto [entry, fresh] = claims.emplace(name, port);
    if (!fresh && entry->second != port) entry->second = kShared;
  };
  for (std::size_t index = 0; index < manifest.ports.size(); ++index) {
    claim(manifest.ports[index].key, index);
    claim(manifest.ports[index].onnx_name, index);
  }
  std::map<std::string, std::size_t, std::less<>> by_role;
  for (std::size_t index = 0; index < roles.size(); ++index) {
    const auto [entry, fresh] = by_role.emplace(roles[index], index);
    if (!fresh) entry->second = kShared;
  }
  for (std::size_t index = 0; index < manifest.ports.size(); ++index) {
    Port& port = manifest.ports[index];
    const auto own = [&](const std::string& name) {
      const auto found = claims.find(name);
      return found != claims.end() && found->second == index;
    };
    if (own(port.key)) port.scope_names.push_back(port.key);
    if (port.onnx_name != port.key && own(port.onnx_name)) port.scope_names.push_back(port.onnx_name);
    const std::string& role = roles[index];
    if (claims.find(role) == claims.end() && by_role[role] == index) port.scope_names.push_back(role);
  }
}

}  // namespace wgk::package::v1
