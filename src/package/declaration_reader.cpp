// Declarations of the call side: dtypes, attributes, tunables, scalar arguments.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/parts.h"

namespace wgk::package {
namespace {

constexpr auto kDTypes = std::to_array({DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt16, DType::kInt32,
                                        DType::kInt64, DType::kUint8, DType::kUint32, DType::kBool});

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DType dtype : kDTypes) names.emplace_back(dtype_name(dtype));
  return names;
}

/// Dtypes of ONNX that WebGPU kernels have no storage for. As a type variable they would silently admit everything.
bool is_unsupported_dtype(std::string_view text) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"float64", "double", "float", "bfloat16", "uint16", "uint64", "string", "complex64", "complex128"});
  return std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

Result<DType> read_dtype(const Node& node) {
  WGK_TRY(const std::string text, node.string());
  if (const auto dtype = dtype_from_name(text)) return *dtype;
  return node.fail_here(fmt::format("must be a dtype, got \"{}\"{}", printable(text), suggestion(text, dtype_names())));
}

/// Two values are the same when the check of a call could not tell them apart: numbers as float32, others by kind.
bool same_scalar(const jinja::Value& a, const jinja::Value& b) {
  if (a.is_number() && b.is_number()) return static_cast<float>(a.as_number()) == static_cast<float>(b.as_number());
  if (a.kind() != b.kind()) return false;
  if (a.kind() == jinja::Value::Kind::kBool) return a.as_bool() == b.as_bool();
  return a.kind() == jinja::Value::Kind::kString && a.as_string() == b.as_string();
}

}  // namespace

Result<jinja::Value> read_attribute_value(const Node& node) {
  const Tree& tree = node.tree();
  if (tree.is_null()) return jinja::Value::none();
  if (!tree.is_list()) return read_tunable_value(node);
  jinja::List list;
  list.reserve(tree.size());
  for (std::size_t index = 0; index < tree.size(); ++index) {
    WGK_TRY(jinja::Value item, read_attribute_value(node.at(index)));
    list.push_back(std::move(item));
  }
  return jinja::Value::list(std::move(list));
}

Result<jinja::Value> read_tunable_value(const Node& node) {
  const Tree& tree = node.tree();
  if (tree.is_boolean()) return jinja::Value::boolean(tree.as_boolean());
  if (tree.is_string()) return jinja::Value::string(std::string(tree.text()));
  if (tree.is_number() && std::isfinite(tree.as_number())) return jinja::Value::number(tree.as_number());
  return node.fail_here(fmt::format("must be a finite number, a string or a bool, got {}", json_text(&tree)));
}

Result<std::vector<Tunable>> read_bare_tunables(const Node& map, std::string_view where) {
  WGK_CHECK(map.require_object());
  WGK_CHECK(map.limit(where, "tunables", map.size(), limits::kMaxTunables));
  WGK_CHECK(map.charge(map.size()));
  std::vector<Tunable> tunables;
  tunables.reserve(map.size());
  WGK_CHECK(for_each_member(map, [&](std::string_view name, const Node& value) -> Status {
    WGK_TRY(jinja::Value tunable, read_tunable_value(value));
    tunables.push_back({std::string(name), {}, std::move(tunable)});
    return {};
  }));
  return tunables;
}

Status read_attribute_constraint(const Node& constraint, AttributeDecl& attribute) {
  static constexpr auto kKeys = std::to_array<std::string_view>({"required", "values"});
  WGK_CHECK(constraint.known_keys(
      fmt::format("WebGPU manifest {} attributeConstraints.{}", constraint.context().op, attribute.name), kKeys));
  WGK_TRY(attribute.required, constraint.boolean_or("required", false));
  if (!constraint.has("values")) return {};
  const Node values = constraint.at("values");
  WGK_CHECK(values.require_non_empty_array());
  WGK_CHECK(values.limit(fmt::format("{} attribute {}", constraint.context().op, attribute.name), "values",
                         values.size(), limits::kMaxAttributes));
  return for_each_item(values, [&](std::size_t, const Node& item) -> Status {
    WGK_TRY(jinja::Value value, read_tunable_value(item));
    for (const jinja::Value& other : attribute.values) {
      if (same_scalar(value, other))
        return item.fail_here(fmt::format("repeats the value {}", json_text(&item.tree())));
    }
    attribute.values.push_back(std::move(value));
    return {};
  });
}

Result<std::vector<std::pair<std::string, std::vector<DType>>>> read_type_constraints(const Node& map) {
  WGK_CHECK(map.require_object());
  WGK_CHECK(map.limit(map.context().op, "type constraints", map.size(), limits::kMaxAttributes));
  std::vector<std::pair<std::string, std::vector<DType>>> constraints;
  WGK_CHECK(for_each_member(map, [&](std::string_view name, const Node& list) -> Status {
    if (!is_identifier(name) || dtype_from_name(name)) {
      return list.fail(fmt::format("WebGPU manifest {} typeConstraints: \"{}\" is not the name of a type variable",
                                   map.context().op, printable(name)));
    }
    WGK_CHECK(list.require_non_empty_array());
    std::vector<DType> dtypes;
    WGK_CHECK(for_each_item(list, [&](std::size_t, const Node& item) -> Status {
      WGK_TRY(const DType dtype, read_dtype(item));
      if (std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end()) dtypes.push_back(dtype);
      return {};
    }));
    constraints.emplace_back(name, std::move(dtypes));
    return {};
  }));
  return constraints;
}

Result<std::string> read_port_dtype(const Node& node) {
  WGK_TRY(std::string text, node.string());
  if (dtype_from_name(text)) return text;
  if (is_unsupported_dtype(text)) {
    return node.fail_here(fmt::format("is \"{}\", which WebGPU kernels have no storage for", text));
  }
  if (is_identifier(text)) return text;
  return node.fail_here(fmt::format("must be a dtype or the name of a type variable, got \"{}\"", printable(text)));
}

std::vector<DType> admitted_dtypes(const Manifest& manifest, const std::string& dtype) {
  if (dtype.empty()) return {DType::kFloat32};
  if (const auto concrete = dtype_from_name(dtype)) return {*concrete};
  for (const auto& [name, dtypes] : manifest.type_vars) {
    if (name == dtype) return dtypes;
  }
  return {};
}

Result<DType> read_storage_dtype(const Node& node, bool wgsl_spellings) {
  if (wgsl_spellings && node.tree().is_string()) {
    const std::string_view text = node.tree().text();
    if (text == "f32") return DType::kFloat32;
    if (text == "f16") return DType::kFloat16;
    if (text == "u32") return DType::kUint32;
    if (text == "i32") return DType::kInt32;
  }
  return read_dtype(node);
}

Result<Port::Narrowing> read_narrowing(const Node& node) {
  WGK_TRY(const std::string text, node.string());
  if (text == "checked") return Port::Narrowing::kChecked;
  if (text == "saturating") return Port::Narrowing::kSaturating;
  return node.fail_here(fmt::format("must be \"checked\" or \"saturating\", got \"{}\"", printable(text)));
}

std::string rank_text(const Node& port) {
  if (!port.has("rank")) return {};
  const Tree& rank = port.tree().find("rank")->value;
  return rank.is_string() ? std::string(rank.text()) : json_text(&rank);
}

Result<ScalarArg::Kind> read_scalar_kind(const Node& node) {
  using Kind = ScalarArg::Kind;
  static constexpr auto kKinds = std::to_array<std::pair<std::string_view, Kind>>({{"u32", Kind::kU32},
                                                                                   {"i32", Kind::kI32},
                                                                                   {"f32", Kind::kF32},
                                                                                   {"bool", Kind::kBool},
                                                                                   {"string", Kind::kString}});
  WGK_TRY(const std::string text, node.string());
  for (const auto& [name, kind] : kKinds) {
    if (name == text) return kind;
  }
  return node.fail_here(fmt::format("must be one of u32, i32, f32, bool, string, got \"{}\"", printable(text)));
}

}  // namespace wgk::package
