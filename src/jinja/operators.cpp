// Binary operators and tests (package-format 6.3 to 6.6).
#include <cmath>

#include <fmt/format.h>

#include "jinja/evaluator.h"
#include "jinja/text.h"

namespace wgk::jinja {

namespace {

bool is_numeric(const Value& value) { return value.is_number() || value.is_bool(); }
double numeric(const Value& value) { return value.is_bool() ? (value.as_bool() ? 1 : 0) : value.as_number(); }
bool is_float(const Value& value) { return value.is_number() && !value.is_int(); }

Value arithmetic_result(double result, const Value& left, const Value& right) {
  return is_float(left) || is_float(right) ? Value::floating(result) : Value::integer(result);
}

/// The number that a string stands for in `==`, or NaN.
double comparable_number(const std::string& text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.empty()) return 0;
  const auto prefix = number_prefix(trimmed);
  return prefix && prefix->length == trimmed.size() ? prefix->value : std::nan("");
}

/// ECMAScript's power: unlike the C function it has no value for a base of 1 or -1 and an infinite or NaN exponent.
double js_power(double base, double exponent) {
  if (std::isnan(exponent) || (std::fabs(base) == 1 && std::isinf(exponent))) return std::nan("");
  return std::pow(base, exponent);
}

}  // namespace

bool Evaluator::unknown_operator(BinaryOp op, const Value& left, const Value& right) {
  return fail(
      fmt::format("Unknown operator \"{}\" between {} and {}", operator_text(op), left.type_name(), right.type_name()));
}

bool Evaluator::binary(BinaryOp op, const Value& left, const Value& right, Value& out) {
  if (op == BinaryOp::kEqual || op == BinaryOp::kNotEqual) {
    bool same = false;
    if (!equal(left, right, same)) return false;
    out = Value::boolean(same == (op == BinaryOp::kEqual));
    return true;
  }
  const bool is_membership = op == BinaryOp::kIn || op == BinaryOp::kNotIn;
  if (is_membership && right.is_undefined()) {
    out = Value::boolean(op == BinaryOp::kNotIn);
    return true;
  }
  if (left.is_undefined() || right.is_undefined()) {
    return fail(fmt::format("Cannot perform operation {} on undefined values", operator_text(op)));
  }
  if (left.is_none() || right.is_none()) return fail("Cannot perform operation on null values");
  if (op == BinaryOp::kPower && is_numeric(left) && is_numeric(right)) return power(left, right, out);
  if (op == BinaryOp::kConcat) return concat(op, left, right, out);
  if (is_membership) return contains(op, left, right, out);
  if (left.is_number() && right.is_number()) return arithmetic(op, left, right, out);
  if (op != BinaryOp::kAdd) return unknown_operator(op, left, right);
  if (left.is_list() && right.is_list()) {
    List items = left.as_list();
    if (items.size() + right.as_list().size() > limits::kMaxListItems) {
      return fail(fmt::format("list of more than {} items", limits::kMaxListItems));
    }
    items.insert(items.end(), right.as_list().begin(), right.as_list().end());
    return set_list(std::move(items), out);
  }
  if (left.is_string() || right.is_string()) return concat(op, left, right, out);
  return unknown_operator(op, left, right);
}

bool Evaluator::arithmetic(BinaryOp op, const Value& left, const Value& right, Value& out) {
  const double a = left.as_number();
  const double b = right.as_number();
  switch (op) {
    case BinaryOp::kAdd:
      out = arithmetic_result(a + b, left, right);
      return true;
    case BinaryOp::kSubtract:
      out = arithmetic_result(a - b, left, right);
      return true;
    case BinaryOp::kMultiply:
      out = arithmetic_result(a * b, left, right);
      return true;
    case BinaryOp::kDivide:
      out = Value::floating(a / b);
      return true;
    case BinaryOp::kFloorDivide:
      out = arithmetic_result(std::floor(a / b), left, right);
      return true;
    case BinaryOp::kModulo:
      out = arithmetic_result(std::fmod(a, b), left, right);
      return true;
    case BinaryOp::kLess:
      out = Value::boolean(a < b);
      return true;
    case BinaryOp::kLessEqual:
      out = Value::boolean(a <= b);
      return true;
    case BinaryOp::kGreater:
      out = Value::boolean(a > b);
      return true;
    case BinaryOp::kGreaterEqual:
      out = Value::boolean(a >= b);
      return true;
    default:
      return unknown_operator(op, left, right);
  }
}

bool Evaluator::power(const Value& left, const Value& right, Value& out) {
  const double base = numeric(left);
  const double exponent = numeric(right);
  if (base == 0 && exponent < 0) return fail("0.0 cannot be raised to a negative power");
  const double result = js_power(base, exponent);
  if (!std::isfinite(result)) return fail("Exponentiation result is not a finite real number");
  out = exponent < 0 ? Value::floating(result) : arithmetic_result(result, left, right);
  return true;
}

bool Evaluator::concat(BinaryOp op, const Value& left, const Value& right, Value& out) {
  std::string text;
  if (left.is_string() && right.is_string()) text.reserve(left.as_string().size() + right.as_string().size());
  if (!append_plain_text(left, text) || !append_plain_text(right, text)) return unknown_operator(op, left, right);
  return set_string(std::move(text), out);
}

bool Evaluator::spend_search(std::size_t text, std::size_t pattern) {
  constexpr std::size_t kComparesPerStep = 4096;
  return spend_bytes(text) && spend(std::uint64_t{text} * pattern / kComparesPerStep);
}

bool Evaluator::contains(BinaryOp op, const Value& left, const Value& right, Value& out) {
  bool found = false;
  if (right.is_list()) {
    if (!spend(right.as_list().size() / 16)) return false;
    for (const Value& item : right.as_list()) {
      if (left.is_string() && item.is_string() && item.as_string().size() == left.as_string().size() &&
          !spend_bytes(left.as_string().size())) {
        return false;
      }
      if (item.same_as(left)) {
        found = true;
        break;
      }
    }
  } else if (left.is_string() && right.is_string()) {
    if (!spend_search(right.as_string().size(), left.as_string().size())) return false;
    found = right.as_string().find(left.as_string()) != std::string::npos;
  } else if (left.is_string() && right.is_map() && !right.is_namespace()) {
    if (!spend(right.as_map().size() / 16)) return false;
    found = right.member(left.as_string()) != nullptr;
  } else {
    return unknown_operator(op, left, right);
  }
  out = Value::boolean(found == (op == BinaryOp::kIn));
  return true;
}

bool Evaluator::equal(const Value& left, const Value& right, bool& out) {
  const auto is_nothing = [](const Value& value) { return value.is_undefined() || value.is_none(); };
  if (is_nothing(left) || is_nothing(right)) {
    out = is_nothing(left) && is_nothing(right);
    return true;
  }
  if (left.is_string() && right.is_string()) {
    if (left.as_string().size() == right.as_string().size() && !spend_bytes(left.as_string().size())) return false;
    out = left.same_as(right);
  } else if (is_numeric(left) && is_numeric(right)) {
    out = numeric(left) == numeric(right);
  } else if (left.is_string() && is_numeric(right)) {
    if (!spend_bytes(left.as_string().size())) return false;
    out = comparable_number(left.as_string()) == numeric(right);
  } else if (is_numeric(left) && right.is_string()) {
    if (!spend_bytes(right.as_string().size())) return false;
    out = numeric(left) == comparable_number(right.as_string());
  } else {
    out = left.same_as(right);
  }
  return true;
}

bool Evaluator::test(Test test, const Value& value, bool& out) {
  switch (test) {
    case Test::kDefined:
      out = !value.is_undefined();
      return true;
    case Test::kUndefined:
      out = value.is_undefined();
      return true;
    case Test::kNone:
      out = value.is_none();
      return true;
    case Test::kBoolean:
      out = value.is_bool();
      return true;
    case Test::kTrue:
      out = value.is_bool() && value.as_bool();
      return true;
    case Test::kFalse:
      out = value.is_bool() && !value.as_bool();
      return true;
    case Test::kNumber:
      out = value.is_number();
      return true;
    case Test::kInteger:
      out = value.is_int();
      return true;
    case Test::kString:
      out = value.is_string();
      return true;
    case Test::kIterable:
      out = value.is_list() || value.is_string();
      return true;
    case Test::kMapping:
      out = value.is_map() && !value.is_namespace();
      return true;
    case Test::kSequence:
      out = value.is_list() || value.is_string() || (value.is_map() && !value.is_namespace());
      return true;
    case Test::kCallable:
      out = value.is_function();
      return true;
    case Test::kOdd:
    case Test::kEven:
      if (!value.is_int()) return fail(fmt::format("cannot {} on {}", test_name(test), value.type_name()));
      out = (std::fmod(value.as_number(), 2) == 0) == (test == Test::kEven);
      return true;
    case Test::kUpper:
    case Test::kLower:
      out = false;
      if (!value.is_string()) return true;
      if (!spend_bytes(value.as_string().size())) return false;
      out = value.as_string() == (test == Test::kUpper ? to_upper(value.as_string()) : to_lower(value.as_string()));
      return true;
  }
  return false;
}

}  // namespace wgk::jinja
