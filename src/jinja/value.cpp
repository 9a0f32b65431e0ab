// Value: construction, access, the boundary rule and identity.
#include "jinja/value.h"

#include <algorithm>
#include <cmath>

#include "jinja/function.h"

namespace wgk::jinja {

namespace {

/// Large enough to be over every limit, small enough that sums of it cannot wrap.
constexpr std::uint64_t kSaturated = std::uint64_t{1} << 40;

bool is_integral(double value) { return std::isfinite(value) && std::trunc(value) == value; }

}  // namespace

/// A list with what has to be known about its content without walking it again.
struct Value::ListBox {
  List items;
  std::uint32_t depth = 1;
  std::uint64_t weight = 1;
  bool settled = true;  ///< every number in it has the kind that the boundary rule gives
};

struct Value::MapBox {
  Map entries;
  bool is_namespace = false;
  std::uint32_t depth = 1;
  std::uint64_t weight = 1;
  bool settled = true;
};

namespace {

struct Summary {
  std::uint32_t depth = 1;
  std::uint64_t weight = 1;

  void add(const Value& value) {
    depth = std::max(depth, value.depth() + 1);
    weight = std::min(weight + value.weight(), kSaturated);
  }
};

}  // namespace

Value Value::none() {
  Value value;
  value.data_.emplace<1>();
  return value;
}

Value Value::boolean(bool content) {
  Value value;
  value.data_.emplace<2>(content);
  return value;
}

Value Value::integer(double content) {
  Value value;
  value.data_.emplace<3>(Number{content, true});
  return value;
}

Value Value::floating(double content) {
  Value value;
  value.data_.emplace<3>(Number{content, false});
  return value;
}

Value Value::number(double content) {
  Value value;
  value.data_.emplace<3>(Number{content, is_integral(content)});
  return value;
}

Value Value::string(std::string content) {
  Value value;
  value.data_.emplace<4>(std::make_shared<const std::string>(std::move(content)));
  return value;
}

Value Value::list(List content) {
  auto box = std::make_shared<ListBox>();
  Summary summary;
  for (const Value& item : content) {
    summary.add(item);
    box->settled = box->settled && item.at_boundary_is_identity();
  }
  box->items = std::move(content);
  box->depth = summary.depth;
  box->weight = summary.weight;
  Value value;
  value.data_.emplace<5>(std::move(box));
  return value;
}

Value Value::map(Map content) {
  auto box = std::make_shared<MapBox>();
  Summary summary;
  for (const auto& [key, item] : content) {
    summary.add(item);
    box->settled = box->settled && item.at_boundary_is_identity();
  }
  box->entries = std::move(content);
  box->depth = summary.depth;
  box->weight = summary.weight;
  Value value;
  value.data_.emplace<6>(std::move(box));
  return value;
}

Value Value::namespace_map(Map content) {
  auto box = std::make_shared<MapBox>();
  box->entries = std::move(content);
  box->is_namespace = true;
  Value value;
  value.data_.emplace<6>(std::move(box));
  return value;
}

Value Value::function(std::string name, Callable callable) {
  Function content;
  content.name = std::move(name);
  content.callable = std::move(callable);
  return function(std::move(content));
}

Value Value::function(Function content) {
  Value value;
  value.data_.emplace<7>(std::make_shared<const Function>(std::move(content)));
  return value;
}

Value::Kind Value::kind() const {
  switch (data_.index()) {
    case 0:
      return Kind::kUndefined;
    case 1:
      return Kind::kNone;
    case 2:
      return Kind::kBool;
    case 3:
      return is_int() ? Kind::kInt : Kind::kFloat;
    case 4:
      return Kind::kString;
    case 5:
      return Kind::kList;
    case 6:
      return Kind::kMap;
    default:
      return Kind::kFunction;
  }
}

bool Value::as_bool() const { return *std::get_if<bool>(&data_); }
double Value::as_number() const { return std::get_if<Number>(&data_)->value; }
const std::string& Value::as_string() const { return **std::get_if<4>(&data_); }
const List& Value::as_list() const { return (*std::get_if<5>(&data_))->items; }
const Map& Value::as_map() const { return (*std::get_if<6>(&data_))->entries; }
const Callable& Value::as_callable() const { return as_function().callable; }
const Value::Function& Value::as_function() const { return **std::get_if<7>(&data_); }

const Value* Value::member(std::string_view key) const {
  if (!is_map()) return nullptr;
  for (const auto& [name, value] : as_map()) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool Value::truthy() const {
  switch (kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return as_bool();
    case Kind::kInt:
    case Kind::kFloat:
      return as_number() != 0 && !std::isnan(as_number());
    case Kind::kString:
      return !as_string().empty();
    case Kind::kList:
      return !as_list().empty();
    case Kind::kMap:
      return is_namespace() || !as_map().empty();
    case Kind::kFunction:
      return true;
  }
  return false;
}

bool Value::is_namespace() const { return is_map() && (*std::get_if<6>(&data_))->is_namespace; }

void Value::set_namespace_member(std::string_view key, Value value) {
  Map& entries = (*std::get_if<6>(&data_))->entries;
  for (auto& [name, content] : entries) {
    if (name == key) {
      content = std::move(value);
      return;
    }
  }
  entries.emplace_back(std::string(key), std::move(value));
}

void Value::clear_namespace() { (*std::get_if<6>(&data_))->entries.clear(); }

bool Value::at_boundary_is_identity() const {
  switch (data_.index()) {
    case 3:
      return is_int() == is_integral(as_number());
    case 5:
      return (*std::get_if<5>(&data_))->settled;
    case 6:
      return (*std::get_if<6>(&data_))->settled;
    default:
      return true;
  }
}

Value Value::at_boundary() const {
  if (at_boundary_is_identity()) return *this;
  if (is_number()) return number(as_number());
  if (is_list()) {
    List items;
    items.reserve(as_list().size());
    for (const Value& item : as_list()) items.push_back(item.at_boundary());
    return list(std::move(items));
  }
  Map entries;
  entries.reserve(as_map().size());
  for (const auto& [key, item] : as_map()) entries.emplace_back(key, item.at_boundary());
  return map(std::move(entries));
}

bool Value::same_as(const Value& other) const {
  if (data_.index() != other.data_.index()) return false;
  switch (data_.index()) {
    case 2:
      return as_bool() == other.as_bool();
    case 3:
      return as_number() == other.as_number();
    case 4:
      return &as_string() == &other.as_string() || as_string() == other.as_string();
    case 5:
    case 6:
    case 7:
      return identity() == other.identity();
    default:
      return true;
  }
}

std::uint32_t Value::depth() const {
  switch (data_.index()) {
    case 5:
      return (*std::get_if<5>(&data_))->depth;
    case 6:
      return (*std::get_if<6>(&data_))->depth;
    case 7:
      return as_function().bound.depth() + 1;
    default:
      return 0;
  }
}

std::uint64_t Value::weight() const {
  switch (data_.index()) {
    case 5:
      return (*std::get_if<5>(&data_))->weight;
    case 6:
      return (*std::get_if<6>(&data_))->weight;
    default:
      return 1;
  }
}

const void* Value::identity() const {
  switch (data_.index()) {
    case 5:
      return std::get_if<5>(&data_)->get();
    case 6:
      return std::get_if<6>(&data_)->get();
    case 7:
      return std::get_if<7>(&data_)->get();
    default:
      return nullptr;
  }
}

std::string_view Value::kind_name(Kind kind) {
  switch (kind) {
    case Kind::kUndefined:
      return "UndefinedValue";
    case Kind::kNone:
      return "NullValue";
    case Kind::kBool:
      return "BooleanValue";
    case Kind::kInt:
      return "IntegerValue";
    case Kind::kFloat:
      return "FloatValue";
    case Kind::kString:
      return "StringValue";
    case Kind::kList:
      return "ArrayValue";
    case Kind::kMap:
      return "ObjectValue";
    case Kind::kFunction:
      return "FunctionValue";
  }
  return "UndefinedValue";
}

std::string_view Value::type_name() const { return is_namespace() ? "NamespaceValue" : kind_name(kind()); }

}  // namespace wgk::jinja
