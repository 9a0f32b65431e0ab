// Attribute values as JSON and back.
#include "attribute_text.h"

#include <type_traits>
#include <variant>

namespace wgk::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;

AttributeValue value_from(const Json& json, int depth = 0) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_array() && depth < kDeepest) {
    AttributeValue::List list;
    for (const Json& item : json) list.push_back(value_from(item, depth + 1));
    return list;
  }
  return json.get<std::string>();
}

}  // namespace

Json attribute_json(const AttributeValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, AttributeValue::List>) {
          Json list = Json::array();
          for (const AttributeValue& item : held) list.push_back(attribute_json(item));
          return list;
        } else {
          return held;
        }
      },
      value.get());
}

Json attributes_json(const Attributes& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = attribute_json(value);
  return json;
}

std::string attribute_text(const AttributeValue& value) { return attribute_json(value).dump(); }

Attributes attributes_from(const Json& json) {
  Attributes values;
  for (const auto& [name, value] : json.items()) values.insert_or_assign(name, value_from(value));
  return values;
}

}  // namespace wgk::cli
