// From the caller's values to the namespaces that expressions see.
#include "plan/attributes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <wgk/limits.hpp>

#include "base/try.h"
#include "jinja/limits.h"
#include "plan/brief_text.h"

namespace wgk::plan {
namespace {

using jinja::Value;
using package::AttributeDecl;
using package::ScalarArg;

/// Turns a scalar into a Value; the error holds the reason only.
Result<Value> convert_scalar(const AttributeValue& given) {
  const AttributeValue::Variant& data = given.get();
  if (const auto* flag = std::get_if<bool>(&data)) return Value::boolean(*flag);
  if (const auto* real = std::get_if<double>(&data)) return Value::number(*real);
  if (const auto* integer = std::get_if<std::int64_t>(&data)) {
    if (*integer < -limits::kMaxExactInteger || *integer > limits::kMaxExactInteger) {
      return Error{ErrorCode::kRequest, fmt::format("integer {} is outside [-2^53, 2^53]", *integer)};
    }
    return Value::number(static_cast<double>(*integer));
  }
  if (const auto* text = std::get_if<std::string>(&data)) {
    if (text->size() > limits::kMaxStringBytes) {
      return Error{ErrorCode::kRequest, fmt::format("string exceeds {} bytes", limits::kMaxStringBytes)};
    }
    return Value::string(*text);
  }
  return Error{ErrorCode::kRequest, "a list inside a list is not an attribute value"};
}

Result<Value> convert(const AttributeValue& given) {
  const auto* list = std::get_if<AttributeValue::List>(&given.get());
  if (list == nullptr) return convert_scalar(given);
  if (list->size() > limits::kMaxListItems) {
    return Error{ErrorCode::kRequest, fmt::format("list of more than {} items", limits::kMaxListItems)};
  }
  jinja::List items;
  items.reserve(list->size());
  for (const AttributeValue& item : *list) {
    WGK_TRY(Value value, convert_scalar(item));
    items.push_back(std::move(value));
  }
  return Value::list(std::move(items));
}

/// Numbers match after rounding to float32, because that is the precision ONNX gives float attributes.
bool matches(const Value& allowed, const Value& given) {
  if (allowed.is_number() && given.is_number()) {
    return static_cast<float>(allowed.as_number()) == static_cast<float>(given.as_number());
  }
  if (allowed.kind() != given.kind()) return false;
  switch (allowed.kind()) {
    case Value::Kind::kBool:
      return allowed.as_bool() == given.as_bool();
    case Value::Kind::kString:
      return allowed.as_string() == given.as_string();
    case Value::Kind::kNone:
      return true;
    case Value::Kind::kList:
      return std::equal(allowed.as_list().begin(), allowed.as_list().end(), given.as_list().begin(),
                        given.as_list().end(), matches);
    default:
      return false;
  }
}

std::string known_names(std::vector<std::string> names) {
  if (names.empty()) return "none";
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

Status check_declared(const package::Manifest& manifest, const Attributes& given) {
  for (const auto& [name, value] : given) {
    const auto declared = std::any_of(manifest.attributes.begin(), manifest.attributes.end(),
                                      [&key = name](const AttributeDecl& decl) { return decl.name == key; });
    if (declared) continue;
    std::vector<std::string> names;
    for (const AttributeDecl& decl : manifest.attributes) names.push_back(decl.name);
    return Error{ErrorCode::kRequest,
                 fmt::format("WebGPU op {}: unknown attribute \"{}\" — not declared by the manifest (known: {})",
                             manifest.op, name, known_names(std::move(names)))};
  }
  return {};
}

Status check_allowed(const package::Manifest& manifest, const AttributeDecl& decl, const Value& value) {
  if (decl.values.empty()) return {};
  const auto allowed =
      std::any_of(decl.values.begin(), decl.values.end(), [&](const Value& one) { return matches(one, value); });
  if (allowed) return {};
  return Error{ErrorCode::kRequest, fmt::format("WebGPU op {} attribute {} must be one of {}, got {}", manifest.op,
                                                decl.name, brief_text(Value::list(decl.values)), brief_text(value))};
}

bool is_integer_in(const Value& value, double low, double high) {
  if (!value.is_number()) return false;
  const double number = value.as_number();
  return number >= low && number <= high && std::floor(number) == number;
}

/// What a scalar of this kind must be, when the value is not; nullopt when it is fine.
std::optional<std::string> scalar_fault(const ScalarArg& arg, const Value& value) {
  switch (arg.kind) {
    case ScalarArg::Kind::kF32:
      if (value.is_number() && std::isfinite(value.as_number())) return std::nullopt;
      return "a finite number";
    case ScalarArg::Kind::kU32:
      if (is_integer_in(value, 0, 4294967295.0)) return std::nullopt;
      return "a u32";
    case ScalarArg::Kind::kI32:
      if (is_integer_in(value, -2147483648.0, 2147483647.0)) return std::nullopt;
      return "an i32";
    case ScalarArg::Kind::kBool:
      if (value.kind() == Value::Kind::kBool) return std::nullopt;
      return "a boolean";
    case ScalarArg::Kind::kString:
      break;
  }
  if (value.kind() != Value::Kind::kString) return "a string";
  if (arg.one_of.empty() || std::find(arg.one_of.begin(), arg.one_of.end(), value.as_string()) != arg.one_of.end()) {
    return std::nullopt;
  }
  return fmt::format("one of {}", fmt::join(arg.one_of, ", "));
}

bool has_tunable(const std::vector<package::Tunable>& tunables, std::string_view name) {
  return std::any_of(tunables.begin(), tunables.end(),
                     [&](const package::Tunable& tunable) { return tunable.name == name; });
}

std::vector<std::string> tunable_names(const package::Manifest& manifest) {
  std::vector<std::string> names;
  for (const package::Tunable& tunable : manifest.tunables) names.push_back(tunable.name);
  for (const package::Variant& variant : manifest.variants) {
    for (const package::Tunable& tunable : variant.tunables) names.push_back(tunable.name);
  }
  return names;
}

/// An override of the tunable, else its own value. Overrides were checked before, so a failing one cannot occur here.
Value tunable_value(const package::Tunable& tunable, const TunableOverrides& overrides) {
  const auto found = overrides.find(tunable.name);
  if (found == overrides.end()) return tunable.value.at_boundary();
  Result<Value> value = convert_scalar(found->second);
  return value.ok() ? *std::move(value) : tunable.value.at_boundary();
}

void overlay(jinja::Map& members, const std::string& name, Value value) {
  for (auto& [known, current] : members) {
    if (known == name) {
      current = std::move(value);
      return;
    }
  }
  members.emplace_back(name, std::move(value));
}

}  // namespace

Result<Value> bind_attributes(const package::Manifest& manifest, const Attributes& given) {
  WGK_CHECK(check_declared(manifest, given));
  jinja::Map members;
  for (const AttributeDecl& decl : manifest.attributes) {
    const auto found = given.find(decl.name);
    if (found == given.end() && !decl.default_value) {
      if (!decl.required) continue;
      return Error{ErrorCode::kRequest,
                   fmt::format("WebGPU op {} missing required attribute {}", manifest.op, decl.name)};
    }
    Value value;
    if (found == given.end()) {
      value = decl.default_value->at_boundary();
    } else {
      Result<Value> converted = convert(found->second);
      if (!converted.ok()) {
        return Error{ErrorCode::kRequest,
                     fmt::format("WebGPU op {} attribute {}: {}", manifest.op, decl.name, converted.error().message)};
      }
      value = *std::move(converted);
    }
    WGK_CHECK(check_allowed(manifest, decl, value));
    members.emplace_back(decl.name, std::move(value));
  }
  return Value::map(std::move(members));
}

Result<Value> bind_scalars(const package::Manifest& manifest, const Attributes& given) {
  jinja::Map members;
  for (const ScalarArg& arg : manifest.scalars) {
    const auto found = given.find(arg.name);
    if (found == given.end()) continue;
    Result<Value> value = convert(found->second);
    if (!value.ok()) {
      return Error{ErrorCode::kRequest, fmt::format("WebGPU arg {}: {}", arg.name, value.error().message)};
    }
    if (const auto fault = scalar_fault(arg, *value)) {
      return Error{ErrorCode::kRequest, fmt::format("WebGPU arg {} must be {}", arg.name, *fault)};
    }
    members.emplace_back(arg.name, *std::move(value));
  }
  return Value::map(std::move(members));
}

Status check_tunable_overrides(const package::Manifest& manifest, const TunableOverrides& overrides) {
  for (const auto& [name, given] : overrides) {
    const bool known =
        has_tunable(manifest.tunables, name) ||
        std::any_of(manifest.variants.begin(), manifest.variants.end(),
                    [&key = name](const package::Variant& variant) { return has_tunable(variant.tunables, key); });
    if (!known) {
      return Error{ErrorCode::kRequest,
                   fmt::format("WebGPU op {}: unknown tunable \"{}\" — not declared by the manifest (known: {})",
                               manifest.op, name, known_names(tunable_names(manifest)))};
    }
    const bool list = std::holds_alternative<AttributeValue::List>(given.get());
    Result<Value> value = convert_scalar(given);
    if (list) value = Error{ErrorCode::kRequest, "a list is not a tunable value"};
    if (value.ok() && value->is_number() && !std::isfinite(value->as_number())) {
      value = Error{ErrorCode::kRequest, "the number must be finite"};
    }
    if (!value.ok()) {
      return Error{ErrorCode::kRequest,
                   fmt::format("WebGPU op {} tunable {}: {}", manifest.op, name, value.error().message)};
    }
  }
  return {};
}

Value merge_tunables(const std::vector<package::Tunable>& manifest, const std::vector<package::Tunable>* variant,
                     const TunableOverrides& overrides) {
  jinja::Map members;
  members.reserve(manifest.size() + (variant == nullptr ? 0 : variant->size()));
  for (const package::Tunable& tunable : manifest) {
    members.emplace_back(tunable.name, tunable_value(tunable, overrides));
  }
  if (variant != nullptr) {
    for (const package::Tunable& tunable : *variant) overlay(members, tunable.name, tunable_value(tunable, overrides));
  }
  return Value::map(std::move(members));
}

}  // namespace wgk::plan
