// The functions that know shapes and dtypes (package-format 6.7). The evaluator applies the boundary rule to results.
#include "plan/vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/js_number.h"
#include "base/try.h"
#include "jinja/limits.h"

namespace wgk::plan {

namespace {

using jinja::Budget;
using jinja::List;
using jinja::Value;
using Args = std::span<const Value>;
using Shape = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFoldWidth = 65535;

Error bad(std::string message) { return {ErrorCode::kPackage, std::move(message)}; }

// Arguments ---------------------------------------------------------------------------------------------------------

const Value& argument(Args args, std::size_t index) {
  static const Value missing;
  return index < args.size() ? args[index] : missing;
}

Result<double> to_number(std::string_view function, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kUndefined:
    case Value::Kind::kNone:
      return kNaN;
    case Value::Kind::kBool:
      return value.as_bool() ? 1.0 : 0.0;
    case Value::Kind::kInt:
    case Value::Kind::kFloat:
      return value.as_number();
    default:
      return bad(fmt::format("{}() needs a number, got {}", function, value.type_name()));
  }
}

Result<double> number_argument(std::string_view function, Args args, std::size_t index) {
  return to_number(function, argument(args, index));
}

Result<Shape> to_shape(std::string_view function, const Value& value) {
  if (!value.is_list()) return bad(fmt::format("{}() needs a list of numbers, got {}", function, value.type_name()));
  Shape shape;
  shape.reserve(value.as_list().size());
  for (const Value& item : value.as_list()) {
    if (!item.is_number()) {
      return bad(fmt::format("{}() needs a list of numbers, got {} in it", function, item.type_name()));
    }
    shape.push_back(item.as_number());
  }
  return shape;
}

Result<Shape> shape_argument(std::string_view function, Args args, std::size_t index) {
  return to_shape(function, argument(args, index));
}

Value shape_value(const Shape& shape) {
  List items;
  items.reserve(shape.size());
  for (const double entry : shape) items.push_back(Value::number(entry));
  return Value::list(std::move(items));
}

bool is_integer(double value) { return std::isfinite(value) && std::trunc(value) == value; }

/// ((i mod n) + n) mod n; nothing for a rank of 0 and for what is no whole number.
std::optional<std::size_t> wrap(double index, std::size_t rank) {
  if (rank == 0 || !is_integer(index)) return std::nullopt;
  const auto n = static_cast<double>(rank);
  return static_cast<std::size_t>(std::fmod(std::fmod(index, n) + n, n));
}

double product(std::span<const double> entries) {
  double result = 1;
  for (const double entry : entries) result *= entry;
  return result;
}

// Numbers -----------------------------------------------------------------------------------------------------------

Result<Value> ceil(Args args, Budget&) {
  WGK_TRY(const double x, number_argument("ceil", args, 0));
  return Value::number(std::ceil(x));
}

Result<Value> floor(Args args, Budget&) {
  WGK_TRY(const double x, number_argument("floor", args, 0));
  return Value::number(std::floor(x));
}

Result<Value> pow(Args args, Budget&) {
  WGK_TRY(const double base, number_argument("pow", args, 0));
  WGK_TRY(const double exponent, number_argument("pow", args, 1));
  // Unlike C, ECMAScript has no value for these.
  const bool has_none = std::isnan(exponent) || (std::fabs(base) == 1 && std::isinf(exponent));
  return Value::number(has_none ? kNaN : std::pow(base, exponent));
}

template <typename Better>
Result<Value> extreme(std::string_view function, Args args, double start, Better better) {
  double result = start;
  for (const Value& arg : args) {
    WGK_TRY(const double x, to_number(function, arg));
    if (std::isnan(x) || (!std::isnan(result) && better(x, result))) result = x;
  }
  return Value::number(result);
}

Result<Value> min(Args args, Budget&) {
  return extreme("min", args, kInfinity, [](double a, double b) { return a < b; });
}

Result<Value> max(Args args, Budget&) {
  return extreme("max", args, -kInfinity, [](double a, double b) { return a > b; });
}

Result<Value> ceil_div(Args args, Budget&) {
  WGK_TRY(const double a, number_argument("ceilDiv", args, 0));
  WGK_TRY(const double b, number_argument("ceilDiv", args, 1));
  return Value::number(std::ceil(a / b));
}

/// The least k with 2^k >= x, exactly, for finite x > 1.
int ceil_log2(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // x = fraction * 2^exponent, fraction in [0.5, 1)
  return fraction == 0.5 ? exponent - 1 : exponent;
}

Result<Value> pow2ceil(Args args, Budget&) {
  WGK_TRY(const double x, number_argument("pow2ceil", args, 0));
  if (x <= 1) return Value::number(1);
  if (!std::isfinite(x)) return Value::number(x);
  return Value::number(std::ldexp(1.0, ceil_log2(x)));
}

Result<Value> log2ceil(Args args, Budget&) {
  WGK_TRY(const double x, number_argument("log2ceil", args, 0));
  if (x <= 1) return Value::number(0);
  if (!std::isfinite(x)) return Value::number(x);
  return Value::number(ceil_log2(x));
}

// Shapes ------------------------------------------------------------------------------------------------------------

Result<Value> numel(Args args, Budget&) {
  WGK_TRY(const Shape shape, shape_argument("numel", args, 0));
  return Value::number(product(shape));
}

Result<Value> rank(Args args, Budget&) {
  WGK_TRY(const Shape shape, shape_argument("rank", args, 0));
  return Value::number(static_cast<double>(shape.size()));
}

/// A shape and, wrapped, an index of it.
struct Axis {
  Shape shape;
  std::optional<std::size_t> index;
};

Result<Axis> axis_argument(std::string_view function, Args args) {
  WGK_TRY(Shape shape, shape_argument(function, args, 0));
  WGK_TRY(const double index, number_argument(function, args, 1));
  const std::size_t rank = shape.size();
  return Axis{std::move(shape), wrap(index, rank)};
}

Result<Value> entry(std::string_view function, Args args) {
  WGK_TRY(const Axis axis, axis_argument(function, args));
  return axis.index ? Value::number(axis.shape[*axis.index]) : Value::none();
}

Result<Value> dim(Args args, Budget&) { return entry("dim", args); }
Result<Value> cols(Args args, Budget&) { return entry("cols", args); }

Result<Value> rows(Args args, Budget&) {
  WGK_TRY(const Axis axis, axis_argument("rows", args));
  double result = 1;
  for (std::size_t i = 0; i < axis.shape.size(); ++i) {
    if (i != axis.index) result *= axis.shape[i];
  }
  return Value::number(result);
}

Result<Value> outer(Args args, Budget&) {
  WGK_TRY(const Axis axis, axis_argument("outer", args));
  return Value::number(product(std::span(axis.shape).first(axis.index.value_or(0))));
}

Result<Value> inner(Args args, Budget&) {
  WGK_TRY(const Axis axis, axis_argument("inner", args));
  return Value::number(axis.index ? product(std::span(axis.shape).subspan(*axis.index + 1)) : 1);
}

/// A count of entries: a negative one and NaN are none, a large one is all.
std::size_t entry_count(double count, std::size_t size) {
  if (!(count > 0)) return 0;
  return count < static_cast<double>(size) ? static_cast<std::size_t>(count) : size;
}

Result<Value> prefix(Args args, Budget&) {
  WGK_TRY(const Shape shape, shape_argument("prefix", args, 0));
  WGK_TRY(const double count, number_argument("prefix", args, 1));
  const auto end = shape.begin() + static_cast<std::ptrdiff_t>(entry_count(count, shape.size()));
  return shape_value(Shape(shape.begin(), end));
}

Result<Value> suffix(Args args, Budget&) {
  WGK_TRY(const Shape shape, shape_argument("suffix", args, 0));
  WGK_TRY(const double count, number_argument("suffix", args, 1));
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(entry_count(count, shape.size()));
  return shape_value(Shape(begin, shape.end()));
}

Result<Value> fill(Args args, Budget& budget) {
  WGK_TRY(const double count, number_argument("fill", args, 1));
  if (!is_integer(count) || count < 0) {
    return bad(fmt::format("fill() needs a count that is an integer >= 0, got {}", base::js_number(count)));
  }
  if (count > static_cast<double>(limits::kMaxListItems)) {
    return bad(fmt::format("list of more than {} items", limits::kMaxListItems));
  }
  if (!budget.spend(static_cast<std::uint64_t>(count))) {
    return bad(fmt::format("evaluation step limit ({}) exceeded", limits::kMaxEvaluationSteps));
  }
  return Value::list(List(static_cast<std::size_t>(count), argument(args, 0)));
}

/// An axis in [-rank, rank), from the start.
Result<std::size_t> exact_axis(std::string_view function, double axis, std::size_t rank) {
  const auto n = static_cast<double>(rank);
  if (!is_integer(axis) || axis < -n || axis >= n) {
    return bad(fmt::format("{}() axis {} is out of range for rank {}", function, base::js_number(axis), rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

Result<Value> move_axis(Args args, Budget&) {
  WGK_TRY(Shape shape, shape_argument("moveAxis", args, 0));
  WGK_TRY(const double from, number_argument("moveAxis", args, 1));
  WGK_TRY(const double to, number_argument("moveAxis", args, 2));
  WGK_TRY(const std::size_t source, exact_axis("moveAxis", from, shape.size()));
  WGK_TRY(const std::size_t target, exact_axis("moveAxis", to, shape.size()));
  const double moved = shape[source];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(source));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(target), moved);
  return shape_value(shape);
}

Result<Value> permute_shape(Args args, Budget&) {
  WGK_TRY(const Shape shape, shape_argument("permuteShape", args, 0));
  WGK_TRY(const Shape axes, shape_argument("permuteShape", args, 1));
  if (axes.size() != shape.size()) {
    return bad(fmt::format("permuteShape() needs {} axes, got {}", shape.size(), axes.size()));
  }
  std::vector<bool> used(shape.size(), false);
  Shape result;
  for (const double axis : axes) {
    WGK_TRY(const std::size_t source, exact_axis("permuteShape", axis, shape.size()));
    if (used[source]) return bad(fmt::format("permuteShape() axis {} occurs twice", base::js_number(axis)));
    used[source] = true;
    result.push_back(shape[source]);
  }
  return shape_value(result);
}

Result<Value> reversed_axes(Args args, Budget& budget) {
  WGK_TRY(const double rank, number_argument("reversedAxes", args, 0));
  if (!is_integer(rank) || rank < 0) {
    return bad(fmt::format("reversedAxes() needs a rank that is an integer >= 0, got {}", base::js_number(rank)));
  }
  if (rank > static_cast<double>(limits::kMaxListItems)) {
    return bad(fmt::format("list of more than {} items", limits::kMaxListItems));
  }
  if (!budget.spend(static_cast<std::uint64_t>(rank))) {
    return bad(fmt::format("evaluation step limit ({}) exceeded", limits::kMaxEvaluationSteps));
  }
  Shape result;
  for (double axis = rank - 1; axis >= 0; --axis) result.push_back(axis);
  return shape_value(result);
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const double entry : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", base::js_number(entry));
  return text;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {  // from the right
    const double x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const double y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return bad(fmt::format("Shapes [{}] and [{}] are not broadcast-compatible", shape_text(a), shape_text(b)));
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Result<Value> broadcast_shape(Args args, Budget&) {
  WGK_TRY(const Shape a, shape_argument("broadcastShape", args, 0));
  WGK_TRY(const Shape b, shape_argument("broadcastShape", args, 1));
  WGK_TRY(const Shape result, broadcast(a, b));
  return shape_value(result);
}

Result<Value> matmul_shape(Args args, Budget&) {
  WGK_TRY(Shape a, shape_argument("matmulShape", args, 0));
  WGK_TRY(Shape b, shape_argument("matmulShape", args, 1));
  if (a.empty() || b.empty()) return bad("matmulShape() needs shapes of rank 1 or more");
  // A vector is a row on the left and a column on the right; the dimension it lends is dropped from the result.
  const bool a_is_vector = a.size() == 1;
  const bool b_is_vector = b.size() == 1;
  if (a_is_vector) a.insert(a.begin(), 1);
  if (b_is_vector) b.push_back(1);
  const double a_inner = a[a.size() - 1];
  const double b_inner = b[b.size() - 2];
  if (a_inner != b_inner) {
    return bad(fmt::format("MatMul inner dimensions do not match ({} != {})", base::js_number(a_inner),
                           base::js_number(b_inner)));
  }
  WGK_TRY(Shape result, broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)));
  if (!a_is_vector) result.push_back(a[a.size() - 2]);
  if (!b_is_vector) result.push_back(b[b.size() - 1]);
  return shape_value(result);
}

Result<Value> broadcastable(Args args, Budget&) {
  WGK_TRY(const Shape a, shape_argument("broadcastable", args, 0));
  WGK_TRY(const Shape b, shape_argument("broadcastable", args, 1));
  if (a.size() > b.size()) return Value::boolean(false);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double from = a[a.size() - 1 - i];
    if (from != 1 && from != b[b.size() - 1 - i]) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Result<Value> same_shape(Args args, Budget&) {
  WGK_TRY(const Shape a, shape_argument("sameShape", args, 0));
  WGK_TRY(const Shape b, shape_argument("sameShape", args, 1));
  return Value::boolean(a == b);
}

/// Both name the same axis of a tensor of this rank.
bool same_axis(double a, double b, double rank) {
  const auto normal = [rank](double axis) { return std::fmod(std::fmod(axis, rank) + rank, rank); };
  return normal(a) == normal(b);
}

Result<Value> has_axis(Args args, Budget&) {
  WGK_TRY(const Shape axes, shape_argument("hasAxis", args, 0));
  WGK_TRY(const double axis, number_argument("hasAxis", args, 1));
  WGK_TRY(const double rank, number_argument("hasAxis", args, 2));
  const auto matches = [axis, rank](double other) { return same_axis(other, axis, rank); };
  return Value::boolean(std::any_of(axes.begin(), axes.end(), matches));
}

Result<Value> axis_value(Args args, Budget&) {
  const Value& values = argument(args, 0);
  if (!values.is_list()) return bad(fmt::format("axisValue() needs a list of values, got {}", values.type_name()));
  WGK_TRY(const Shape axes, shape_argument("axisValue", args, 1));
  WGK_TRY(const double axis, number_argument("axisValue", args, 2));
  WGK_TRY(const double rank, number_argument("axisValue", args, 3));
  for (std::size_t i = 0; i < axes.size() && i < values.as_list().size(); ++i) {
    if (same_axis(axes[i], axis, rank)) return values.as_list()[i];
  }
  const Value& fallback = argument(args, 4);
  return fallback.is_undefined() ? Value::none() : fallback;
}

Result<Value> is_unique_int_list(Args args, Budget&) {
  const Value& list = argument(args, 0);
  WGK_TRY(const double low, number_argument("isUniqueIntList", args, 1));
  WGK_TRY(const double high, number_argument("isUniqueIntList", args, 2));
  WGK_TRY(const double rank, args.size() > 3 ? number_argument("isUniqueIntList", args, 3) : Result<double>(0.0));
  if (!list.is_list()) return Value::boolean(false);
  Shape seen;
  for (const Value& item : list.as_list()) {
    if (!item.is_number() || !is_integer(item.as_number())) return Value::boolean(false);
    const double number = item.as_number();
    if (!(number >= low && number < high)) return Value::boolean(false);
    seen.push_back(rank > 0 ? std::fmod(std::fmod(number, rank) + rank, rank) : number);
  }
  std::sort(seen.begin(), seen.end());
  return Value::boolean(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

// Maps, dtypes, choice ----------------------------------------------------------------------------------------------

Result<Value> has(Args args, Budget&) {
  const Value& map = argument(args, 0);
  const Value& key = argument(args, 1);
  return Value::boolean(map.is_map() && key.is_string() && map.member(key.as_string()) != nullptr);
}

struct DtypeRow {
  std::string_view name;
  std::string_view short_name;
  double storage_bytes;
  double onnx_code;
};

constexpr std::array<DtypeRow, 9> kDtypes = {{
    {"float32", "f32", 4, 1},
    {"float16", "f16", 2, 10},
    {"int32", "i32", 4, 6},
    {"uint32", "u32", 4, 12},
    {"int8", "i8", 4, 3},
    {"uint8", "u8", 4, 2},
    {"int16", "i16", 4, 5},
    {"int64", "i64", 8, 7},
    {"bool", "bool", 4, 9},
}};

Result<const DtypeRow*> dtype_argument(std::string_view function, Args args) {
  const Value& value = argument(args, 0);
  if (!value.is_string()) return bad(fmt::format("{}() needs a dtype name, got {}", function, value.type_name()));
  for (const DtypeRow& row : kDtypes) {
    if (row.name == value.as_string() || row.short_name == value.as_string()) return &row;
  }
  return bad(fmt::format("{}() does not know the dtype \"{}\"", function, value.as_string()));
}

Result<Value> dtype_bytes(Args args, Budget&) {
  WGK_TRY(const DtypeRow* row, dtype_argument("dtypeBytes", args));
  return Value::number(row->storage_bytes);
}

Result<Value> onnx_dtype_code(Args args, Budget&) {
  WGK_TRY(const DtypeRow* row, dtype_argument("onnxDtypeCode", args));
  return Value::number(row->onnx_code);
}

Result<Value> pick(Args args, Budget&) {
  const Value& pairs = argument(args, 0);
  if (!pairs.is_list()) return bad(fmt::format("pick() needs a list of pairs, got {}", pairs.type_name()));
  for (const Value& pair : pairs.as_list()) {
    if (!pair.is_list() || pair.as_list().size() < 2) return bad("pick() needs pairs of a condition and a value");
    if (pair.as_list()[0].truthy()) return pair.as_list()[1];
  }
  const Value& fallback = argument(args, 1);
  return fallback.is_undefined() ? Value::none() : fallback;
}

bool is_f16(const Value& value) {
  return value.is_string() && (value.as_string() == "f16" || value.as_string() == "float16");
}

bool is_f32(const Value& value) {
  return value.is_string() && (value.as_string() == "f32" || value.as_string() == "float32");
}

struct NamedFunction {
  std::string_view name;
  Result<Value> (*function)(Args, Budget&);
};

constexpr std::array<NamedFunction, 30> kFunctions = {{
    {"ceil", ceil},
    {"floor", floor},
    {"pow", pow},
    {"min", min},
    {"max", max},
    {"ceilDiv", ceil_div},
    {"pow2ceil", pow2ceil},
    {"log2ceil", log2ceil},
    {"numel", numel},
    {"dim", dim},
    {"rows", rows},
    {"outer", outer},
    {"inner", inner},
    {"prefix", prefix},
    {"suffix", suffix},
    {"fill", fill},
    {"moveAxis", move_axis},
    {"permuteShape", permute_shape},
    {"reversedAxes", reversed_axes},
    {"broadcastShape", broadcast_shape},
    {"matmulShape", matmul_shape},
    {"broadcastable", broadcastable},
    {"sameShape", same_shape},
    {"hasAxis", has_axis},
    {"axisValue", axis_value},
    {"isUniqueIntList", is_unique_int_list},
    {"has", has},
    {"dtypeBytes", dtype_bytes},
    {"onnxDtypeCode", onnx_dtype_code},
    {"pick", pick},
}};

constexpr std::array<NamedFunction, 2> kLegacyFunctions = {{{"rank", rank}, {"cols", cols}}};

std::vector<std::string> names_of(bool legacy) {
  std::vector<std::string> names;
  for (const NamedFunction& entry : kFunctions) names.emplace_back(entry.name);
  names.emplace_back("f16Ok");
  if (legacy) {
    for (const NamedFunction& entry : kLegacyFunctions) names.emplace_back(entry.name);
    names.emplace_back("f16Allowed");
  }
  names.emplace_back("DISPATCH_FOLD_WIDTH");
  return names;
}

void add(jinja::Scope& scope, std::string_view name, jinja::Callable callable) {
  scope.set(name, Value::function(std::string(name), std::move(callable)));
}

/// What is the same for all devices, made once.
jinja::Scope make_fixed_part(bool legacy) {
  jinja::Scope scope;
  for (const NamedFunction& entry : kFunctions) add(scope, entry.name, entry.function);
  if (legacy) {
    for (const NamedFunction& entry : kLegacyFunctions) add(scope, entry.name, entry.function);
  }
  scope.set("DISPATCH_FOLD_WIDTH", Value::integer(kFoldWidth));
  return scope;
}

const jinja::Scope& fixed_part(bool legacy) {
  if (legacy) {
    static const jinja::Scope old = make_fixed_part(true);
    return old;
  }
  static const jinja::Scope modern = make_fixed_part(false);
  return modern;
}

}  // namespace

jinja::Scope make_vocabulary(const DeviceProfile& profile, bool legacy) {
  jinja::Scope scope(&fixed_part(legacy));
  const DeviceProfile* device = &profile;
  add(scope, "f16Ok", [device](Args args, Budget&) -> Result<Value> {
    return Value::boolean(!is_f16(argument(args, 0)) || device->has_feature("shader-f16"));
  });
  if (legacy) {
    add(scope, "f16Allowed", [device](Args args, Budget&) -> Result<Value> {
      const Value& dtype = argument(args, 0);
      return Value::boolean(is_f32(dtype) || (is_f16(dtype) && device->has_feature("shader-f16")));
    });
  }
  return scope;
}

const std::vector<std::string>& vocabulary_names(bool legacy) {
  static const std::vector<std::string> modern = names_of(false);
  static const std::vector<std::string> old = names_of(true);
  return legacy ? old : modern;
}

}  // namespace wgk::plan
