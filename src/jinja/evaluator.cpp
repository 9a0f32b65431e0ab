// Evaluation of expression nodes: chains of operands, literals, members and calls.
#include "jinja/evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "jinja/text.h"

namespace wgk::jinja {

namespace {

const Value kUndefined;

struct MethodRule {
  std::string_view name;
  Method method;
  bool of_map;
};

constexpr std::array<MethodRule, 11> kMethods = {{
    {"upper", Method::kUpper, false},
    {"lower", Method::kLower, false},
    {"strip", Method::kStrip, false},
    {"split", Method::kSplit, false},
    {"startswith", Method::kStartsWith, false},
    {"endswith", Method::kEndsWith, false},
    {"replace", Method::kReplace, false},
    {"get", Method::kGet, true},
    {"keys", Method::kKeys, true},
    {"values", Method::kValues, true},
    {"items", Method::kItems, true},
}};

const MethodRule* find_method(const Value& object, std::string_view name) {
  const bool of_map = object.is_map();
  if (object.is_namespace() || (!of_map && !object.is_string())) return nullptr;
  for (const MethodRule& rule : kMethods) {
    if (rule.of_map == of_map && rule.name == name) return &rule;
  }
  return nullptr;
}

}  // namespace

bool Evaluator::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

bool Evaluator::out_of_steps() {
  return fail(fmt::format("evaluation step limit ({}) exceeded", limits::kMaxEvaluationSteps));
}

bool Evaluator::Level::ok() {
  if (evaluator_.level_ <= limits::kMaxEvaluationDepth) return true;
  return evaluator_.fail(fmt::format("nesting exceeds {}", limits::kMaxEvaluationDepth));
}

bool Evaluator::accept(const Value& value) {
  if (value.is_string()) {
    const std::size_t size = value.as_string().size();
    if (size > limits::kMaxStringBytes) return fail(fmt::format("string exceeds {} bytes", limits::kMaxStringBytes));
    return true;
  }
  if (value.is_list() && value.as_list().size() > limits::kMaxListItems) {
    return fail(fmt::format("list of more than {} items", limits::kMaxListItems));
  }
  if (value.depth() > limits::kMaxValueDepth)
    return fail(fmt::format("value nesting exceeds {}", limits::kMaxValueDepth));
  if (value.weight() > limits::kMaxValueWeight)
    return fail(fmt::format("value of more than {} items", limits::kMaxValueWeight));
  return true;
}

bool Evaluator::set_string(std::string text, Value& out) {
  if (text.size() > limits::kMaxStringBytes)
    return fail(fmt::format("string exceeds {} bytes", limits::kMaxStringBytes));
  if (!spend_bytes(text.size())) return false;
  out = Value::string(std::move(text));
  return true;
}

bool Evaluator::set_list(List items, Value& out) {
  if (items.size() > limits::kMaxListItems)
    return fail(fmt::format("list of more than {} items", limits::kMaxListItems));
  if (!spend(items.size())) return false;
  out = Value::list(std::move(items));
  return accept(out);
}

bool Evaluator::eval(NodeId id, Value& out) {
  const Node& node = ast_.nodes[id];
  if (!spend()) return fail_at(node.offset, std::move(reason_));
  switch (node.type) {
    case NodeType::kConstant:
      out = ast_.constants[node.a];
      return true;
    case NodeType::kName:
      out = slots_[node.a];
      return true;
    default:
      break;
  }
  Level level(*this);
  offset_ = node.offset;
  if (!level.ok()) return false;
  switch (node.type) {
    case NodeType::kList:
      return eval_list(node, out);
    case NodeType::kMap:
      return eval_map(node, out);
    case NodeType::kUnary:
      return eval_unary(node, out);
    case NodeType::kTernary: {
      Value condition;
      if (!eval(node.a, condition)) return false;
      const NodeId chosen = condition.truthy() ? node.b : node.c;
      if (chosen != kNoNode) return eval(chosen, out);
      out = Value();
      return true;
    }
    default:
      return eval_chain(id, out);
  }
}

bool Evaluator::eval_list(const Node& node, Value& out) {
  List items;
  items.reserve(std::min<std::size_t>(node.b, limits::kMaxListItems));
  for (std::uint32_t i = 0; i < node.b; ++i) {
    Value item;
    if (!eval(ast_.extra[node.a + i], item)) return false;
    items.push_back(std::move(item));
  }
  offset_ = node.offset;
  return set_list(std::move(items), out);
}

bool Evaluator::eval_map(const Node& node, Value& out) {
  Map entries;
  for (std::uint32_t i = 0; i < node.b; ++i) {
    Value key;
    Value value;
    if (!eval(ast_.extra[node.a + 2 * i], key)) return false;
    offset_ = node.offset;
    if (!key.is_string()) return fail(fmt::format("Object keys must be strings: got {}", key.type_name()));
    if (!eval(ast_.extra[node.a + 2 * i + 1], value)) return false;
    if (!spend(entries.size() / 16)) return false;
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&key](const auto& entry) { return entry.first == key.as_string(); });
    if (found != entries.end()) {
      found->second = std::move(value);
    } else {
      if (!spend_bytes(key.as_string().size())) return false;
      entries.emplace_back(key.as_string(), std::move(value));
    }
  }
  offset_ = node.offset;
  out = Value::map(std::move(entries));
  return accept(out);
}

bool Evaluator::eval_unary(const Node& node, Value& out) {
  Value operand;
  if (!eval(node.a, operand)) return false;
  offset_ = node.offset;
  const auto op = static_cast<UnaryOp>(node.op);
  if (op == UnaryOp::kNot) {
    out = Value::boolean(!operand.truthy());
    return true;
  }
  const double sign = op == UnaryOp::kMinus ? -1 : 1;
  if (operand.is_number()) {
    const double result = sign * operand.as_number();
    out = operand.is_int() ? Value::integer(result) : Value::floating(result);
    return true;
  }
  if (operand.is_bool()) {
    out = Value::integer(sign * (operand.as_bool() ? 1 : 0));
    return true;
  }
  return fail(fmt::format("Unknown operator \"{}\" for {}", sign < 0 ? "-" : "+", operand.type_name()));
}

/// Rows of left operands (a + b + c, x.y.z) are walked in a loop: down to the leftmost operand, then up again.
bool Evaluator::eval_chain(NodeId id, Value& out) {
  const std::size_t base = chain_.size();
  NodeId leftmost = id;
  while (ast_.nodes[leftmost].type >= NodeType::kBinary) {
    chain_.push_back(leftmost);
    leftmost = ast_.nodes[leftmost].a;
  }
  if (!spend(chain_.size() - base)) return false;

  // `left` points to the value so far: in a slot or a constant, where it is not copied, or in `out`.
  const Value* left = &out;
  const Node& first = ast_.nodes[leftmost];
  if (first.type == NodeType::kName) {
    left = &slots_[first.a];
  } else if (first.type == NodeType::kConstant) {
    left = &ast_.constants[first.a];
  } else if (!eval(leftmost, out)) {
    return false;
  }
  const auto keep = [&left, &out] {
    if (left != &out) out = *left;
    left = &out;
  };

  while (chain_.size() > base) {
    const Node& node = ast_.nodes[chain_.back()];
    chain_.pop_back();
    offset_ = node.offset;
    Value result;
    const Value* found = nullptr;
    switch (node.type) {
      case NodeType::kBinary: {
        const auto op = static_cast<BinaryOp>(node.op);
        if (op == BinaryOp::kAnd || op == BinaryOp::kOr) {
          if (left->truthy() == (op == BinaryOp::kOr)) continue;
          if (!eval(node.b, result)) return false;
          break;
        }
        const Node& right = ast_.nodes[node.b];
        if (right.type == NodeType::kConstant || right.type == NodeType::kName) {
          const Value& value = right.type == NodeType::kName ? slots_[right.a] : ast_.constants[right.a];
          if (!spend() || !binary(op, *left, value, result)) return false;
          break;
        }
        keep();
        Value value;
        if (!eval(node.b, value)) return false;
        offset_ = node.offset;
        if (!binary(op, *left, value, result)) return false;
        break;
      }
      case NodeType::kTest: {
        bool holds = false;
        if (!test(static_cast<Test>(node.op), *left, holds)) return false;
        result = Value::boolean(holds != (node.b != 0));
        break;
      }
      case NodeType::kFilter:
        keep();
        if (!filter(node, *left, result)) return false;
        break;
      case NodeType::kMember: {
        const std::string& name = ast_.strings[node.b];
        const Node* parent = chain_.size() > base ? &ast_.nodes[chain_.back()] : nullptr;
        if (parent != nullptr && parent->type == NodeType::kCall && left->member(name) == nullptr) {
          // A method that is called at once needs no function value.
          if (const MethodRule* rule = find_method(*left, name)) {
            chain_.pop_back();
            keep();
            std::vector<Value> arguments;
            Keywords keywords;
            if (!eval_arguments(*parent, arguments, keywords)) return false;
            offset_ = node.offset;
            if (!keywords.empty()) return fail(fmt::format("{}() takes no keyword arguments", name));
            if (!call_method(rule->method, *left, arguments, result)) return false;
            break;
          }
        }
        if (!member(*left, name, found, result)) return false;
        break;
      }
      case NodeType::kIndex: {
        const Node& key = ast_.nodes[node.b];
        if (key.type == NodeType::kConstant) {
          if (!index(*left, ast_.constants[key.a], found, result)) return false;
          break;
        }
        keep();
        Value value;
        if (!eval(node.b, value)) return false;
        offset_ = node.offset;
        if (!index(*left, value, found, result)) return false;
        break;
      }
      case NodeType::kSlice:
        keep();
        if (!slice(*left, node.b, result)) return false;
        break;
      default:
        keep();
        if (!call(node, *left, result)) return false;
        break;
    }
    if (found != nullptr && left != &out) {
      left = found;  // inside a slot or a constant, which outlives this step
      continue;
    }
    if (found != nullptr) result = *found;
    out = std::move(result);
    left = &out;
  }
  keep();
  return true;
}

bool Evaluator::member(const Value& object, const std::string& name, const Value*& found, Value& scratch) {
  found = nullptr;
  if (object.is_map()) {
    if (object.as_map().size() > 64 && !spend(object.as_map().size() / 16)) return false;
    found = object.member(name);
    if (found != nullptr) return true;
  }
  if (name == "length" && object.is_list()) {
    scratch = Value::integer(static_cast<double>(object.as_list().size()));
  } else if (name == "length" && object.is_string()) {
    if (!spend_bytes(object.as_string().size())) return false;
    scratch = Value::integer(static_cast<double>(utf16_length(object.as_string())));
  } else if (const MethodRule* rule = find_method(object, name)) {
    Value::Function method;
    method.kind = Value::Function::Kind::kMethod;
    method.method = rule->method;
    method.name = name;
    method.bound = object;
    scratch = Value::function(std::move(method));
    return accept(scratch);
  } else {
    found = &kUndefined;
  }
  return true;
}

bool Evaluator::index(const Value& object, const Value& key, const Value*& found, Value& scratch) {
  found = nullptr;
  if (key.is_string()) return member(object, key.as_string(), found, scratch);
  if (!object.is_list() && !object.is_string()) {
    return fail(fmt::format("Cannot access property with non-string: got {}", key.type_name()));
  }
  if (!key.is_int()) {
    return fail(fmt::format("Cannot access property with non-string/non-number: got {}", key.type_name()));
  }
  const double at = std::isnan(key.as_number()) ? 0 : std::trunc(key.as_number());
  if (object.is_string()) {
    bool exists = false;
    if (!character_at(object.as_string(), at, scratch, exists)) return false;
    if (!exists) found = &kUndefined;
    return true;
  }
  const auto size = static_cast<double>(object.as_list().size());
  const double from_start = at < 0 ? at + size : at;
  found = from_start >= 0 && from_start < size ? &object.as_list()[static_cast<std::size_t>(from_start)] : &kUndefined;
  return true;
}

bool Evaluator::character_at(const std::string& text, double at, Value& out, bool& found) {
  found = false;
  if (!spend_bytes(text.size())) return false;
  const auto length = static_cast<double>(utf16_length(text));
  const double from_start = at < 0 ? at + length : at;
  if (!(from_start >= 0 && from_start < length)) return true;
  auto units_left = static_cast<std::size_t>(from_start);
  std::size_t byte = 0;
  while (units_left > 0) {
    const std::size_t bytes = character_bytes(text, byte);
    const std::size_t units = bytes == 4 ? 2 : 1;
    if (units > units_left) break;
    units_left -= units;
    byte += bytes;
  }
  const std::size_t bytes = character_bytes(text, byte);
  if (bytes == 4) return fail("index lies inside a character of two UTF-16 units");
  found = true;
  out = Value::string(text.substr(byte, bytes));
  return true;
}

namespace {

struct SliceBounds {
  double start;
  double stop;
};

/// Start and stop as in Python; `length` characters.
SliceBounds slice_bounds(double length, const double* start, const double* stop, double step) {
  if (step >= 0) {
    const auto bound = [length](double at) { return at < 0 ? std::max(length + at, 0.0) : std::min(at, length); };
    return {bound(start != nullptr ? *start : 0), bound(stop != nullptr ? *stop : length)};
  }
  const double first = start != nullptr ? *start : length - 1;
  const double last = stop != nullptr ? *stop : -1;
  return {first < 0 ? std::max(length + first, -1.0) : std::min(first, length - 1),
          stop == nullptr ? -1 : (last < -1 ? std::max(length + last, -1.0) : std::min(last, length - 1))};
}

}  // namespace

bool Evaluator::slice(const Value& object, std::uint32_t parts, Value& out) {
  const std::uint32_t offset = offset_;
  if (!object.is_list() && !object.is_string()) return fail("Slice object must be an array or string");
  constexpr std::array<std::string_view, 3> kNames = {"start", "stop", "step"};
  std::array<double, 3> numbers{};
  std::array<const double*, 3> given{};
  for (std::size_t i = 0; i < 3; ++i) {
    const NodeId part = ast_.extra[parts + i];
    if (part == kNoNode) continue;
    Value value;
    if (!eval(part, value)) return false;
    offset_ = offset;
    if (value.is_undefined()) continue;
    if (!value.is_int()) return fail(fmt::format("Slice {} must be numeric or undefined", kNames[i]));
    if (!std::isfinite(value.as_number())) return fail(fmt::format("Slice {} must be finite", kNames[i]));
    numbers[i] = value.as_number();
    given[i] = &numbers[i];
  }
  const double step = given[2] != nullptr ? numbers[2] : 1;
  if (step == 0) {  // as the JavaScript engine does; Python refuses it
    out = object.is_string() ? Value::string("") : Value::list({});
    return true;
  }
  if (object.is_string()) return slice_string(object.as_string(), given[0], given[1], step, out);
  const List& items = object.as_list();
  const SliceBounds bounds = slice_bounds(static_cast<double>(items.size()), given[0], given[1], step);
  List result;
  for (double i = bounds.start; step > 0 ? i < bounds.stop : i > bounds.stop; i += step) {
    result.push_back(items[static_cast<std::size_t>(i)]);
  }
  return set_list(std::move(result), out);
}

bool Evaluator::slice_string(const std::string& text, const double* start, const double* stop, double step,
                             Value& out) {
  if (!spend_bytes(16 * text.size())) return false;
  std::vector<std::uint32_t> characters;  // byte offsets: slices count characters
  for (std::size_t at = 0; at < text.size(); at += character_bytes(text, at)) {
    characters.push_back(static_cast<std::uint32_t>(at));
  }
  const SliceBounds bounds = slice_bounds(static_cast<double>(characters.size()), start, stop, step);
  std::string result;
  for (double i = bounds.start; step > 0 ? i < bounds.stop : i > bounds.stop; i += step) {
    const std::size_t at = characters[static_cast<std::size_t>(i)];
    result.append(text, at, character_bytes(text, at));
  }
  return set_string(std::move(result), out);
}

bool Evaluator::eval_arguments(const Node& node, std::vector<Value>& arguments, Keywords& keywords) {
  const std::uint32_t keyword_count = ast_.extra[node.b];
  std::uint32_t place = node.b + 1;
  arguments.resize(node.c);
  for (Value& argument : arguments) {
    if (!eval(ast_.extra[place++], argument)) return false;
  }
  for (std::uint32_t i = 0; i < keyword_count; ++i, place += 2) {
    const std::string& name = ast_.strings[ast_.extra[place]];
    Value value;
    if (!eval(ast_.extra[place + 1], value) || !spend(keywords.size() / 16)) return false;
    for (const auto& [other, unused] : keywords) {
      if (other == name) {
        return fail_at(node.offset, fmt::format("Got multiple values for keyword argument '{}'", name));
      }
    }
    keywords.emplace_back(name, std::move(value));
  }
  return true;
}

bool Evaluator::call(const Node& node, const Value& callee, Value& out) {
  std::vector<Value> arguments;
  Keywords keywords;
  if (!eval_arguments(node, arguments, keywords)) return false;
  offset_ = node.offset;
  if (!callee.is_function()) {
    return fail(fmt::format("Cannot call something that is not a function: got {}", callee.type_name()));
  }
  const Value::Function& function = callee.as_function();
  switch (function.kind) {
    case Value::Function::Kind::kMacro:
    case Value::Function::Kind::kNamespace:
      return call_special(function, arguments, keywords, out);
    case Value::Function::Kind::kNative:
    case Value::Function::Kind::kMethod:
      break;
  }
  if (!keywords.empty()) return fail(fmt::format("{}() takes no keyword arguments", function.name));
  if (function.kind == Value::Function::Kind::kMethod) {
    return call_method(function.method, function.bound, arguments, out);
  }
  Result<Value> result = function.callable(arguments, budget_);
  if (!result.ok()) return fail(std::move(result).error().message);
  out = result->at_boundary();
  return accept(out);
}

bool Evaluator::call_special(const Value::Function& function, std::vector<Value>&, Keywords&, Value&) {
  return fail(fmt::format("{}() is not available in expressions", function.name));
}

}  // namespace wgk::jinja
