// Attribute values from JSON; integers stay integers, whatever their size.
#include "runtime/attribute_json.h"

#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <wgk/request.hpp>

#include "base/try.h"

namespace wgk::runtime {

using base::Json;
using base::pointer_child;

Result<AttributeValue> attribute_value(const Json& json, const std::string& where, ErrorCode code) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return AttributeValue(json.get<bool>());
    case Json::value_t::number_integer:
      return AttributeValue(json.get<std::int64_t>());
    case Json::value_t::number_float:
      return AttributeValue(json.get<double>());
    case Json::value_t::string:
      return AttributeValue(json.get<std::string>());
    case Json::value_t::number_unsigned: {
      const auto value = json.get<std::uint64_t>();
      if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return AttributeValue(static_cast<std::int64_t>(value));
      }
      return Error{code, fmt::format("{}: {} is outside the range of a 64-bit integer", where, value)};
    }
    case Json::value_t::array: {
      AttributeValue::List list;
      list.reserve(json.size());
      for (std::size_t i = 0; i < json.size(); ++i) {
        WGK_TRY(AttributeValue item, attribute_value(json[i], pointer_child(where, i), code));
        list.push_back(std::move(item));
      }
      return AttributeValue(std::move(list));
    }
    default:
      return Error{code, fmt::format("{}: must be a number, true, false, a string, or a list of these", where)};
  }
}

Result<Attributes> attribute_map(const Json& json, const std::string& where, ErrorCode code) {
  if (!json.is_object()) return Error{code, fmt::format("{}: must be an object", where)};
  Attributes attributes;
  for (const auto& [name, value] : json.items()) {
    WGK_TRY(AttributeValue attribute, attribute_value(value, pointer_child(where, name), code));
    attributes.emplace(name, std::move(attribute));
  }
  return attributes;
}

Json attribute_to_json(const AttributeValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, AttributeValue::List>) {
          Json list = Json::array();
          for (const AttributeValue& item : held) list.push_back(attribute_to_json(item));
          return list;
        } else {
          return held;
        }
      },
      value.get());
}

}  // namespace wgk::runtime

namespace wgk::inline v0 {

Result<AttributeValue> attribute_from_json(std::string_view text) {
  auto json = base::parse_json(text, ErrorCode::kUsage);
  if (!json) return Error{ErrorCode::kUsage, "not a JSON value: " + json.error().message};
  return runtime::attribute_value(*json, "value", ErrorCode::kUsage);
}

}  // namespace wgk::inline v0
