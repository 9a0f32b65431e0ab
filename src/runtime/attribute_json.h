// Attribute values as JSON.
#pragma once

#include <string>

#include <wgk/attribute.hpp>
#include <wgk/status.hpp>

#include "base/json.h"

namespace wgk::runtime {

/// A number, bool, string, or list of these. The error (of `code`) begins with `where`.
Result<AttributeValue> attribute_value(const base::Json& json, const std::string& where, ErrorCode code);

/// An object of attributes, keys as written.
Result<Attributes> attribute_map(const base::Json& json, const std::string& where, ErrorCode code);

/// The inverse of attribute_value.
base::Json attribute_to_json(const AttributeValue& value);

}  // namespace wgk::runtime
