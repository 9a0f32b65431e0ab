// The contract as JSON. Member order is fixed, so the text is stable.
#include <cmath>

#include "base/json.h"
#include "package/contract.h"

namespace wgk::package {
namespace {

using base::Json;

std::string_view direction_name(Direction direction) {
  switch (direction) {
    case Direction::kInput:
      return "input";
    case Direction::kOutput:
      return "output";
    case Direction::kInout:
      return "inout";
  }
  return "input";
}

Json value_json(const jinja::Value& value) {
  using Kind = jinja::Value::Kind;
  switch (value.kind()) {
    case Kind::kBool:
      return value.as_bool();
    case Kind::kInt: {
      // An integral double may lie far outside int64; printed as an integer only where it is exact.
      const double number = value.as_number();
      if (std::abs(number) <= 9007199254740992.0) return static_cast<std::int64_t>(number);
      return number;
    }
    case Kind::kFloat:
      return value.as_number();
    case Kind::kString:
      return value.as_string();
    case Kind::kList: {
      Json list = Json::array();
      for (const jinja::Value& item : value.as_list()) list.push_back(value_json(item));
      return list;
    }
    default:
      return nullptr;
  }
}

Json port_json(const Port& port) {
  Json json = {{"key", port.key}, {"onnx", port.onnx_name}, {"direction", direction_name(port.direction)}};
  if (!port.dtype.empty()) json["dtype"] = port.dtype;
  if (port.storage) json["storage"] = dtype_name(*port.storage);
  if (port.narrowing != Port::Narrowing::kNone) {
    json["narrowing"] = port.narrowing == Port::Narrowing::kChecked ? "checked" : "saturating";
  }
  json["optional"] = port.optional;
  if (port.packed) json["layout"] = "packed";
  if (!port.rank_text.empty()) json["rank"] = port.rank_text;
  if (port.shape) json["shape"] = formula_text(*port.shape);
  json["description"] = port.description;
  return json;
}

Json texts(const std::vector<Formula>& formulas) {
  Json list = Json::array();
  for (const Formula& formula : formulas) list.push_back(formula_text(formula));
  return list;
}

Json variant_json(const Variant& variant) {
  Json json = {{"id", variant.id}, {"priority", variant.priority}};
  if (!variant.description.empty()) json["description"] = variant.description;
  if (variant.is_default) json["default"] = true;
  json["when"] = texts(variant.when);
  if (variant.select_above) json["selectAbove"] = formula_text(*variant.select_above);
  if (!variant.demote_when.empty()) json["demoteWhen"] = texts(variant.demote_when);
  Json needs = {{"features", variant.requires_.features}, {"limits", Json::object()}};
  for (const auto& [name, limit] : variant.requires_.limits) needs["limits"][name] = limit;
  if (variant.requires_.subgroup_min_size) needs["subgroupMinSize"] = *variant.requires_.subgroup_min_size;
  json["requires"] = std::move(needs);
  json["templates"] = variant.templates;
  if (!variant.unusable.empty()) json["unusable"] = variant.unusable;
  return json;
}

}  // namespace

std::string contract_json(const LoadedPackage& loaded) {
  const Manifest& manifest = loaded.manifest;
  Json json = {{"op", manifest.op}, {"spec", loaded.spec}};
  if (loaded.version) json["version"] = *loaded.version;
  if (manifest.since_version) json["sinceVersion"] = *manifest.since_version;
  json["license"] = loaded.license;
  json["description"] = manifest.description;
  json["inputs"] = Json::array();
  json["outputs"] = Json::array();
  for (const Port& port : manifest.ports) {
    if (port.direction != Direction::kOutput) json["inputs"].push_back(port_json(port));
    if (port.direction != Direction::kInput) json["outputs"].push_back(port_json(port));
  }
  json["args"] = Json::array();
  for (const ScalarArg& scalar : manifest.scalars) {
    static constexpr const char* kKinds[] = {"u32", "i32", "f32", "bool", "string"};
    json["args"].push_back({{"name", scalar.name},
                            {"kind", kKinds[static_cast<int>(scalar.kind)]},
                            {"required", scalar.required},
                            {"oneOf", scalar.one_of},
                            {"description", scalar.description}});
  }
  json["attributes"] = Json::array();
  for (const AttributeDecl& attribute : manifest.attributes) {
    Json item = {{"name", attribute.name}};
    if (attribute.default_value) item["default"] = value_json(*attribute.default_value);
    item["required"] = attribute.required;
    item["values"] = Json::array();
    for (const jinja::Value& value : attribute.values) item["values"].push_back(value_json(value));
    item["description"] = attribute.description;
    json["attributes"].push_back(std::move(item));
  }
  json["typeConstraints"] = Json::object();
  for (const auto& [name, dtypes] : manifest.type_vars) {
    json["typeConstraints"][name] = Json::array();
    for (const DType dtype : dtypes) json["typeConstraints"][name].push_back(dtype_name(dtype));
  }
  json["tunables"] = Json::object();
  for (const Tunable& tunable : manifest.tunables) json["tunables"][tunable.name] = value_json(tunable.value);
  json["variants"] = Json::array();
  for (const Variant& variant : manifest.variants) json["variants"].push_back(variant_json(variant));
  json["files"] = Json::object();
  for (const auto& [path, digest] : loaded.digests) json["files"][path] = digest;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wgk::package
