// Dialect 2.1: inputs, outputs, args and attributes.
#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/v2/sections.h"

namespace wgk::package::v2 {
namespace {

constexpr auto kInputKeys = std::to_array<std::string_view>(
    {"onnx", "dtype", "rank", "shape", "optional", "description", "storage", "narrowing", "layout"});
constexpr auto kArgKeys = std::to_array<std::string_view>({"kind", "description", "onnx", "required", "oneOf"});
constexpr auto kAttributeKeys = std::to_array<std::string_view>({"default", "description"});

bool is_projection(DType storage) { return storage == DType::kUint32 || storage == DType::kInt32; }

Status read_storage(const Node& node, const Manifest& manifest, bool is_input, Port& port) {
  const std::vector<DType> logical = admitted_dtypes(manifest, port.dtype);
  const bool only_int64 = logical.size() == 1 && logical[0] == DType::kInt64;
  if (node.has("storage")) {
    const Node storage = node.at("storage");
    WGK_TRY(const DType dtype, read_storage_dtype(storage, false));
    if (!(only_int64 && is_projection(dtype)) && !(logical.size() == 1 && logical[0] == dtype)) {
      return storage.fail_here(
          fmt::format("is {}, which cannot store the logical dtype {}", dtype_name(dtype), port.dtype));
    }
    port.storage = dtype;
  }
  const bool must_narrow = is_input && only_int64 && port.storage && is_projection(*port.storage);
  if (must_narrow && !node.has("narrowing")) {
    return node.fail(fmt::format("{}.{}: a projected int64 input must declare narrowing as checked or saturating",
                                 manifest.op, port.key));
  }
  if (!node.has("narrowing")) return {};
  if (!must_narrow) {
    return node.at("narrowing").fail_here("belongs on an int64 input that is stored in 32 bits, and nowhere else");
  }
  WGK_TRY(port.narrowing, read_narrowing(node.at("narrowing")));
  return {};
}

Status read_layout(const Node& node, const Manifest& manifest, bool is_input, Port& port) {
  if (!node.has("layout")) return {};
  const Node layout = node.at("layout");
  const std::vector<DType> logical = admitted_dtypes(manifest, port.dtype);
  if (!layout.tree().is("packed")) {
    return layout.fail_here(fmt::format("must be \"packed\", got {}", json_text(&layout.tree())));
  }
  if (!is_input || logical.size() != 1 || logical[0] != DType::kUint8) {
    return layout.fail_here("is packed, which belongs on uint8 inputs only");
  }
  port.packed = true;
  return {};
}

Result<Port> read_port(std::string_view key, const Node& node, bool is_input, const Manifest& manifest) {
  if (!is_wgsl_identifier(key)) {
    return node.fail(
        fmt::format("WebGPU manifest {}: bind key \"{}\" is not a WGSL identifier", manifest.op, printable(key)));
  }
  WGK_CHECK(node.known_keys(fmt::format("WebGPU manifest {} {}.{}", manifest.op, is_input ? "inputs" : "outputs", key),
                            kInputKeys));
  if (is_input && node.has("shape")) return node.at("shape").fail_here("belongs to outputs only");
  Port port;
  port.key = key;
  port.direction = is_input ? Direction::kInput : Direction::kOutput;
  port.scope_names = {port.key};
  port.rank_text = rank_text(node);
  WGK_TRY(port.onnx_name, node.string_or("onnx", port.key));
  WGK_TRY(port.description, node.string_or("description", ""));
  WGK_TRY(port.optional, node.boolean_or("optional", false));
  if (node.has("dtype")) {
    WGK_TRY(port.dtype, read_port_dtype(node.at("dtype")));
  } else if (is_input) {
    return node.fail_here("must have dtype");
  }
  if (node.has("shape")) {
    WGK_TRY(port.shape, read_shape(node.at("shape")));
  }
  WGK_CHECK(read_storage(node, manifest, is_input, port));
  WGK_CHECK(read_layout(node, manifest, is_input, port));
  return port;
}

/// The same key in both maps is one tensor that the op reads and writes.
Status merge_inout(Port& input, Port output, const Node& node) {
  if (input.dtype != output.dtype || input.storage != output.storage) {
    return node.fail_here("is an input and an output and must have the same dtype and storage in both");
  }
  input.direction = Direction::kInout;
  input.shape = std::move(output.shape);
  return {};
}

Result<ScalarArg> read_scalar(std::string_view name, const Node& node) {
  WGK_CHECK(node.known_keys(fmt::format("WebGPU manifest {} args.{}", node.context().op, printable(name)), kArgKeys));
  if (!node.has("kind")) return node.fail_here("must have kind");
  ScalarArg scalar;
  scalar.name = name;
  WGK_TRY(scalar.kind, read_scalar_kind(node.at("kind")));
  WGK_TRY(scalar.description, node.string_or("description", ""));
  WGK_TRY(scalar.required, node.boolean_or("required", true));
  if (node.has("oneOf")) {
    WGK_TRY(scalar.one_of, node.at("oneOf").string_list());
    if (scalar.kind != ScalarArg::Kind::kString || scalar.one_of.empty()) {
      return node.at("oneOf").fail_here("must be a non-empty list and belongs to string arguments only");
    }
  }
  return scalar;
}

Port* find_port(Manifest& manifest, std::string_view key) {
  for (Port& port : manifest.ports) {
    if (port.key == key) return &port;
  }
  return nullptr;
}

bool admits(const AttributeDecl& attribute) {
  if (!attribute.default_value || attribute.values.empty()) return true;
  const jinja::Value& value = *attribute.default_value;
  return std::any_of(attribute.values.begin(), attribute.values.end(), [&](const jinja::Value& allowed) {
    if (value.is_number() && allowed.is_number()) {
      return static_cast<float>(value.as_number()) == static_cast<float>(allowed.as_number());
    }
    if (value.kind() != allowed.kind()) return false;
    if (value.kind() == jinja::Value::Kind::kBool) return value.as_bool() == allowed.as_bool();
    return value.kind() == jinja::Value::Kind::kString && value.as_string() == allowed.as_string();
  });
}

}  // namespace

Status read_call_side(const Node& root, Manifest& manifest) {
  const std::string& op = root.context().op;
  for (const std::string_view key : {"inputs", "outputs"}) {
    if (!root.has(key) || !root.at(key).tree().is_map()) {
      return root.fail(fmt::format("WebGPU manifest {} requires {}", op, key));
    }
  }
  const Node inputs = root.at("inputs");
  const Node outputs = root.at("outputs");
  std::uint64_t count = inputs.size();
  for (const auto& [key, output] : outputs.tree().members()) count += inputs.has(key) ? 0 : 1;
  if (root.has("args")) {
    WGK_CHECK(root.at("args").require_object());
    count += root.at("args").size();
  }
  WGK_CHECK(root.limit(op, "ports and scalars", count, limits::kMaxPorts));
  WGK_CHECK(for_each_member(inputs, [&](std::string_view key, const Node& node) -> Status {
    WGK_TRY(Port port, read_port(key, node, true, manifest));
    manifest.ports.push_back(std::move(port));
    return {};
  }));
  WGK_CHECK(for_each_member(outputs, [&](std::string_view key, const Node& node) -> Status {
    WGK_TRY(Port port, read_port(key, node, false, manifest));
    if (Port* input = find_port(manifest, key)) return merge_inout(*input, std::move(port), node);
    manifest.ports.push_back(std::move(port));
    return {};
  }));
  if (!root.has("args")) return {};
  return for_each_member(root.at("args"), [&](std::string_view name, const Node& node) -> Status {
    if (!is_identifier(name) || find_port(manifest, name) != nullptr) {
      return node.fail(fmt::format("WebGPU manifest {}: \"{}\" is not an arg name, or is the name of a tensor", op,
                                   printable(name)));
    }
    WGK_TRY(ScalarArg scalar, read_scalar(name, node));
    manifest.scalars.push_back(std::move(scalar));
    return {};
  });
}

Status read_attributes(const Node& root, Manifest& manifest) {
  const std::string& op = root.context().op;
  if (root.has("attributes")) {
    const Node map = root.at("attributes");
    WGK_CHECK(map.require_object());
    WGK_CHECK(map.limit(op, "attributes", map.size(), limits::kMaxAttributes));
    WGK_CHECK(for_each_member(map, [&](std::string_view name, const Node& node) -> Status {
      WGK_CHECK(node.known_keys(fmt::format("WebGPU manifest {} attributes.{}", op, printable(name)), kAttributeKeys));
      AttributeDecl attribute;
      attribute.name = name;
      WGK_TRY(attribute.description, node.string_or("description", ""));
      if (node.has("default")) {
        WGK_TRY(attribute.default_value, read_attribute_value(node.at("default")));
      }
      manifest.attributes.push_back(std::move(attribute));
      return {};
    }));
  }
  if (!root.has("attributeConstraints")) return {};
  const Node map = root.at("attributeConstraints");
  WGK_CHECK(map.require_object());
  return for_each_member(map, [&](std::string_view name, const Node& node) -> Status {
    const auto attribute = std::find_if(manifest.attributes.begin(), manifest.attributes.end(),
                                        [&](const AttributeDecl& declared) { return declared.name == name; });
    if (attribute == manifest.attributes.end()) {
      std::vector<std::string> names;
      for (const AttributeDecl& declared : manifest.attributes) names.push_back(declared.name);
      return node.fail(fmt::format("WebGPU manifest {} attributeConstraints names undeclared attribute \"{}\"{}", op,
                                   printable(name), suggestion(name, names)));
    }
    WGK_CHECK(read_attribute_constraint(node, *attribute));
    if (!node.has("required") && !node.has("values")) return node.fail_here("must have required or values");
    if (node.has("required") && attribute->default_value) {
      return node.at("required").fail_here("must not stand beside a default");
    }
    if (!admits(*attribute)) return node.at("values").fail_here("must contain the attribute's default");
    return {};
  });
}

}  // namespace wgk::package::v2
