// Methods of strings and maps (package-format 6.6).
#include <fmt/format.h>

#include "jinja/evaluator.h"
#include "jinja/text.h"

namespace wgk::jinja {

namespace {

struct ArgumentRule {
  std::string_view name;
  std::size_t least;
  std::size_t most;
};

ArgumentRule argument_rule(Method method) {
  switch (method) {
    case Method::kUpper:
      return {"upper", 0, 0};
    case Method::kLower:
      return {"lower", 0, 0};
    case Method::kStrip:
      return {"strip", 0, 0};
    case Method::kSplit:
      return {"split", 0, 1};
    case Method::kStartsWith:
      return {"startswith", 1, 1};
    case Method::kEndsWith:
      return {"endswith", 1, 1};
    case Method::kReplace:
      return {"replace", 2, 2};
    case Method::kGet:
      return {"get", 1, 2};
    case Method::kKeys:
      return {"keys", 0, 0};
    case Method::kValues:
      return {"values", 0, 0};
    case Method::kItems:
      return {"items", 0, 0};
  }
  return {"", 0, 0};
}

}  // namespace

bool Evaluator::call_method(Method method, const Value& object, std::span<const Value> arguments, Value& out) {
  const ArgumentRule rule = argument_rule(method);
  if (arguments.size() < rule.least || arguments.size() > rule.most) {
    const std::string wanted =
        rule.least == rule.most ? fmt::format("{}", rule.least) : fmt::format("{} to {}", rule.least, rule.most);
    return fail(fmt::format("{}() takes {} arguments, got {}", rule.name, wanted, arguments.size()));
  }
  return object.is_string() ? string_method(method, object.as_string(), arguments, out)
                            : map_method(method, object, arguments, out);
}

bool Evaluator::string_method(Method method, const std::string& text, std::span<const Value> arguments, Value& out) {
  if (!spend_bytes(text.size())) return false;
  switch (method) {
    case Method::kUpper:
      return set_string(to_upper(text), out);
    case Method::kLower:
      return set_string(to_lower(text), out);
    case Method::kStrip:
      return set_string(std::string(trim(text)), out);
    case Method::kSplit:
      return split(text, arguments, out);
    case Method::kReplace:
      return replace(text, arguments[0], arguments[1], out);
    default:
      break;
  }
  const bool at_start = method == Method::kStartsWith;
  if (!arguments[0].is_string()) {
    return fail(fmt::format("{}() argument must be a string", at_start ? "startswith" : "endswith"));
  }
  const std::string& part = arguments[0].as_string();
  out = Value::boolean(at_start ? text.starts_with(part) : text.ends_with(part));
  return true;
}

bool Evaluator::split(const std::string& text, std::span<const Value> arguments, Value& out) {
  List parts;
  const auto add = [&parts, this](std::string_view part) {
    if (parts.size() == limits::kMaxListItems)
      return fail(fmt::format("list of more than {} items", limits::kMaxListItems));
    parts.push_back(Value::string(std::string(part)));
    return true;
  };
  std::string_view rest = text;
  if (arguments.empty() || arguments[0].is_none()) {
    for (rest = trim(rest); !rest.empty();) {
      std::size_t end = 0;
      while (end < rest.size() && leading_space(rest.substr(end)) == 0) ++end;
      if (!add(rest.substr(0, end))) return false;
      rest.remove_prefix(end);
      while (const std::size_t bytes = leading_space(rest)) rest.remove_prefix(bytes);
    }
    return set_list(std::move(parts), out);
  }
  if (!arguments[0].is_string()) return fail("sep argument must be a string or null");
  const std::string& separator = arguments[0].as_string();
  if (separator.empty()) return fail("empty separator");
  if (!spend_search(text.size(), separator.size())) return false;
  for (std::size_t at = rest.find(separator); at != std::string_view::npos; at = rest.find(separator)) {
    if (!add(rest.substr(0, at))) return false;
    rest.remove_prefix(at + separator.size());
  }
  return add(rest) && set_list(std::move(parts), out);
}

bool Evaluator::replace(const std::string& text, const Value& from, const Value& to, Value& out) {
  if (!from.is_string() || !to.is_string()) return fail("replace() arguments must be strings");
  const std::string& pattern = from.as_string();
  const std::string& replacement = to.as_string();
  if (!spend_search(text.size(), pattern.size())) return false;
  std::string result;
  std::size_t at = 0;
  while (at <= text.size()) {
    // An empty pattern is found before every character and at the end.
    const std::size_t found = pattern.empty() ? at : text.find(pattern, at);
    if (found == std::string::npos) break;
    result.append(text, at, found - at);
    result += replacement;
    at = found + pattern.size();
    if (pattern.empty()) {
      if (at == text.size()) return set_string(std::move(result), out);
      const std::size_t bytes = character_bytes(text, at);
      result.append(text, at, bytes);
      at += bytes;
    }
    if (result.size() > limits::kMaxStringBytes)
      return fail(fmt::format("string exceeds {} bytes", limits::kMaxStringBytes));
  }
  result.append(text, at, std::string::npos);
  return set_string(std::move(result), out);
}

bool Evaluator::map_method(Method method, const Value& object, std::span<const Value> arguments, Value& out) {
  const Map& entries = object.as_map();
  if (method == Method::kGet) {
    if (!arguments[0].is_string()) {
      return fail(fmt::format("Object key must be a string: got {}", arguments[0].type_name()));
    }
    if (!spend(entries.size() / 16)) return false;
    const Value* found = object.member(arguments[0].as_string());
    out = found != nullptr ? *found : arguments.size() > 1 ? arguments[1] : Value::none();
    return true;
  }
  List items;
  items.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    if (method != Method::kValues && !spend_bytes(key.size())) return false;
    if (method == Method::kValues) items.push_back(value);
    if (method == Method::kKeys) items.push_back(Value::string(key));
    if (method == Method::kItems) items.push_back(Value::list({Value::string(key), value}));
  }
  return set_list(std::move(items), out);
}

}  // namespace wgk::jinja
