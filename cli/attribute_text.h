// Attribute values as JSON and back.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <wgk/attribute.hpp>

namespace wgk::cli {

nlohmann::ordered_json attribute_json(const AttributeValue& value);
nlohmann::ordered_json attributes_json(const Attributes& values);

/// As it would be written after `NAME=`.
std::string attribute_text(const AttributeValue& value);

/// The inverse of attributes_json. Throws nlohmann::json::exception for what is no attribute.
Attributes attributes_from(const nlohmann::ordered_json& json);

}  // namespace wgk::cli
