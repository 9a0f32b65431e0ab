// What the tests of the language share: evaluation of one text, results as text with their kind, scopes from JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/js_number.h"
#include "jinja/expression.h"
#include "jinja/scope.h"
#include "jinja/template.h"
#include "jinja/value.h"

namespace wgk::jinja::testing {

/// "Int 4", "Float 0.5", "String a", "[Int 1, None]", "{k: Int 1}".
inline std::string encode(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kUndefined:
      return "Undefined";
    case Value::Kind::kNone:
      return "None";
    case Value::Kind::kBool:
      return value.as_bool() ? "Bool true" : "Bool false";
    case Value::Kind::kInt:
      return "Int " + base::js_number(value.as_number());
    case Value::Kind::kFloat:
      return "Float " + base::js_number(value.as_number());
    case Value::Kind::kString:
      return "String " + value.as_string();
    case Value::Kind::kFunction:
      return "Function";
    case Value::Kind::kList: {
      std::string text;
      for (const Value& item : value.as_list()) text += (text.empty() ? "" : ", ") + encode(item);
      return "[" + text + "]";
    }
    case Value::Kind::kMap: {
      std::string text;
      for (const auto& [key, item] : value.as_map()) text += (text.empty() ? "" : ", ") + key + ": " + encode(item);
      return "{" + text + "}";
    }
  }
  return "";
}

inline Value from_json(const nlohmann::ordered_json& json) {
  if (json.is_null()) return Value::none();
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number()) return Value::number(json.get<double>());
  if (json.is_string()) return Value::string(json.get<std::string>());
  if (json.is_array()) {
    List items;
    for (const auto& item : json) items.push_back(from_json(item));
    return Value::list(std::move(items));
  }
  Map entries;
  for (const auto& [key, item] : json.items()) entries.emplace_back(key, from_json(item));
  return Value::map(std::move(entries));
}

inline void add_names(Scope& scope, const nlohmann::ordered_json& json) {
  for (const auto& [name, value] : json.items()) scope.set(name, from_json(value));
}

/// The encoded value, or "error: <message>".
inline std::string evaluate(const std::string& text, const Scope& scope) {
  const Result<Expression> expression = Expression::parse(text);
  if (!expression.ok()) return "error: " + expression.error().message;
  Budget budget;
  const Result<Value> value = expression->evaluate(scope, budget);
  return value.ok() ? encode(*value) : "error: " + value.error().message;
}

/// The output, or "error: <message>".
inline std::string render(const std::string& text, const Scope& scope) {
  const Result<Template> parsed = Template::parse(text, "t");
  if (!parsed.ok()) return "error: " + parsed.error().message;
  Budget budget;
  const Result<std::string> output = parsed->render(scope, budget);
  return output.ok() ? *output : "error: " + output.error().message;
}

}  // namespace wgk::jinja::testing
