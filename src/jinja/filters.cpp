// Filters (package-format 6.6).
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "jinja/evaluator.h"
#include "jinja/text.h"

namespace wgk::jinja {

bool Evaluator::wrong_filter(Filter filter, const Value& operand) {
  return fail(fmt::format("Cannot apply filter \"{}\" to type: {}", filter_name(filter), operand.type_name()));
}

bool Evaluator::filter(const Node& node, const Value& operand, Value& out) {
  const auto filter = static_cast<Filter>(node.op);
  std::vector<Value> arguments(node.c);
  for (std::uint32_t i = 0; i < node.c; ++i) {
    if (!eval(ast_.extra[node.b + i], arguments[i])) return false;
  }
  offset_ = node.offset;
  if (filter == Filter::kDefault) return default_filter(operand, arguments, out);
  switch (operand.kind()) {
    case Value::Kind::kList:
      return list_filter(filter, operand, arguments, out);
    case Value::Kind::kString:
      return string_filter(filter, operand, arguments, out);
    case Value::Kind::kInt:
    case Value::Kind::kFloat:
      return number_filter(filter, operand, out);
    case Value::Kind::kBool:
      return bool_filter(filter, operand, out);
    case Value::Kind::kMap:
      return map_filter(filter, operand, out);
    default:
      return wrong_filter(filter, operand);
  }
}

bool Evaluator::default_filter(const Value& operand, std::span<const Value> arguments, Value& out) {
  const bool also_false = arguments.size() > 1 && arguments[1].is_bool() && arguments[1].as_bool();
  if (arguments.size() > 1 && !arguments[1].is_bool()) return fail("`default` filter flag must be a boolean");
  out = operand.is_undefined() || (also_false && !operand.truthy()) ? arguments[0] : operand;
  return true;
}

bool Evaluator::output_string(const Value& operand, Value& out) {
  Result<std::string> text = output_text(operand);
  if (!text.ok()) return fail(text.error().message);
  return set_string(*std::move(text), out);
}

bool Evaluator::list_filter(Filter filter, const Value& operand, std::span<const Value> arguments, Value& out) {
  const List& items = operand.as_list();
  switch (filter) {
    case Filter::kLength:
      out = Value::integer(static_cast<double>(items.size()));
      return true;
    case Filter::kFirst:
    case Filter::kLast:
      if (items.empty()) return fail(fmt::format("Filter \"{}\" needs a list that is not empty", filter_name(filter)));
      out = filter == Filter::kFirst ? items.front() : items.back();
      return true;
    case Filter::kReverse:
      return set_list(List(items.rbegin(), items.rend()), out);
    case Filter::kSort:
      return sort(items, out);
    case Filter::kUnique:
      return unique(items, out);
    case Filter::kList:
      out = operand;
      return true;
    case Filter::kJoin:
      return join(items, arguments.empty() ? nullptr : &arguments[0], out);
    case Filter::kString:
      return output_string(operand, out);
    default:
      return wrong_filter(filter, operand);
  }
}

bool Evaluator::string_filter(Filter filter, const Value& operand, std::span<const Value> arguments, Value& out) {
  const std::string& text = operand.as_string();
  if (!spend_bytes(text.size())) return false;
  switch (filter) {
    case Filter::kLength:
      out = Value::integer(static_cast<double>(utf16_length(text)));
      return true;
    case Filter::kUpper:
      return set_string(to_upper(text), out);
    case Filter::kLower:
      return set_string(to_lower(text), out);
    case Filter::kTrim:
      return set_string(std::string(trim(text)), out);
    case Filter::kReplace:
      return replace(text, arguments[0], arguments[1], out);
    case Filter::kString:
      out = operand;
      return true;
    case Filter::kInt:
      out = Value::integer(integer_prefix(trim(text)).value_or(0));
      return true;
    case Filter::kFloat: {
      const auto prefix = number_prefix(trim(text));
      out = Value::floating(prefix ? prefix->value : 0);
      return true;
    }
    default:
      return wrong_filter(filter, operand);
  }
}

bool Evaluator::number_filter(Filter filter, const Value& operand, Value& out) {
  const double number = operand.as_number();
  switch (filter) {
    case Filter::kAbs:
      out = operand.is_int() ? Value::integer(std::fabs(number)) : Value::floating(std::fabs(number));
      return true;
    case Filter::kInt:
      out = Value::integer(std::floor(number));
      return true;
    case Filter::kFloat:
      out = Value::floating(number);
      return true;
    case Filter::kString:
      return output_string(operand, out);
    default:
      return wrong_filter(filter, operand);
  }
}

bool Evaluator::bool_filter(Filter filter, const Value& operand, Value& out) {
  const double number = operand.as_bool() ? 1 : 0;
  switch (filter) {
    case Filter::kInt:
      out = Value::integer(number);
      return true;
    case Filter::kFloat:
      out = Value::floating(number);
      return true;
    case Filter::kString:
      return output_string(operand, out);
    default:
      return wrong_filter(filter, operand);
  }
}

bool Evaluator::map_filter(Filter filter, const Value& operand, Value& out) {
  if (operand.is_namespace()) return wrong_filter(filter, operand);
  switch (filter) {
    case Filter::kLength:
      out = Value::integer(static_cast<double>(operand.as_map().size()));
      return true;
    case Filter::kString:
      return output_string(operand, out);
    default:
      return wrong_filter(filter, operand);
  }
}

bool Evaluator::join(const List& items, const Value* separator, Value& out) {
  if (separator != nullptr && !separator->is_string()) return fail("separator must be a string");
  std::string text;
  bool first = true;
  if (!spend(items.size() / 16)) return false;
  for (const Value& item : items) {
    if (!first && separator != nullptr) text += separator->as_string();
    first = false;
    // As in JavaScript's join, what is not there joins as nothing.
    if (!item.is_undefined() && !item.is_none() && !append_plain_text(item, text)) {
      return fail(fmt::format("Cannot join an item of type {}", item.type_name()));
    }
    if (text.size() > limits::kMaxStringBytes)
      return fail(fmt::format("string exceeds {} bytes", limits::kMaxStringBytes));
  }
  return set_string(std::move(text), out);
}

namespace {

/// What `sort` compares an item by.
struct SortKey {
  enum class Group { kNumber, kString, kNone, kUndefined, kNotSortable };
  Group group = Group::kNotSortable;
  double number = 0;
  std::string text;
  std::size_t index = 0;
};

SortKey sort_key(const Value& value, std::size_t index) {
  SortKey key;
  key.index = index;
  if (value.is_undefined()) key.group = SortKey::Group::kUndefined;
  if (value.is_none()) key.group = SortKey::Group::kNone;
  if (value.is_bool() || (value.is_number() && !std::isnan(value.as_number()))) {
    key.group = SortKey::Group::kNumber;
    key.number = value.is_bool() ? (value.as_bool() ? 1 : 0) : value.as_number();
  }
  if (value.is_string()) {
    key.group = SortKey::Group::kString;
    key.text = to_lower(value.as_string());
  }
  return key;
}

}  // namespace

bool Evaluator::sort(const List& items, Value& out) {
  if (items.size() < 2) return set_list(items, out);
  std::vector<SortKey> keys;
  keys.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Every comparison of a sort may read the whole text.
    const std::size_t bytes = items[i].is_string() ? items[i].as_string().size() : 0;
    if (!spend_bytes(bytes * static_cast<std::size_t>(std::bit_width(items.size())))) return false;
    keys.push_back(sort_key(items[i], i));
    if (keys[i].group == SortKey::Group::kNotSortable || keys[i].group != keys[0].group) {
      return fail(fmt::format("Cannot compare {} with {}", items[0].type_name(), items[i].type_name()));
    }
  }
  if (!spend(items.size())) return false;
  std::stable_sort(keys.begin(), keys.end(), [](const SortKey& a, const SortKey& b) {
    return a.group == SortKey::Group::kNumber ? a.number < b.number : a.text < b.text;
  });
  List sorted;
  sorted.reserve(items.size());
  for (const SortKey& key : keys) sorted.push_back(items[key.index]);
  return set_list(std::move(sorted), out);
}

namespace {

struct SameValueHash {
  std::size_t operator()(const Value* value) const {
    switch (value->kind()) {
      case Value::Kind::kBool:
        return value->as_bool() ? 1 : 2;
      case Value::Kind::kInt:
      case Value::Kind::kFloat:
        return std::isnan(value->as_number()) ? 3 : std::hash<double>()(value->as_number());
      case Value::Kind::kString:
        return std::hash<std::string>()(value->as_string());
      default:
        return std::hash<const void*>()(value->identity());
    }
  }
};

struct SameValue {
  bool operator()(const Value* a, const Value* b) const {
    const bool both_nan = a->is_number() && b->is_number() && std::isnan(a->as_number()) && std::isnan(b->as_number());
    return both_nan || a->same_as(*b);
  }
};

}  // namespace

bool Evaluator::unique(const List& items, Value& out) {
  std::unordered_set<const Value*, SameValueHash, SameValue> seen;
  List kept;
  if (!spend(items.size())) return false;
  for (const Value& item : items) {
    if (item.is_string() && !spend_bytes(2 * item.as_string().size())) return false;
    if (seen.insert(&item).second) kept.push_back(item);
  }
  return set_list(std::move(kept), out);
}

}  // namespace wgk::jinja
