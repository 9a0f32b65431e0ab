// test.json: cases, tensors and their data. A malformed case carries its error; the others still run.
#include "package/cases.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/float16.h"
#include "base/json.h"
#include "base/try.h"
#include "package/node.h"

namespace wgk::package {
namespace {

using base::Json;
/// What the cases of a file share.
struct FileContext {
  std::map<std::string, const Json*, std::less<>> arrays;
  std::int64_t max_bytes = 0;
  std::int64_t bytes_left = 0;
  std::vector<std::string> warnings;
};

Error fail(const std::string& pointer, std::string_view text) {
  return Error{ErrorCode::kPackage, fmt::format("test.json: {}: {}", pointer.empty() ? "/" : pointer, text)};
}

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<double> number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == Json("NaN")) return std::numeric_limits<double>::quiet_NaN();
  if (json == Json("Infinity")) return std::numeric_limits<double>::infinity();
  if (json == Json("-Infinity")) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// An exact integer: a JSON integer, an integral double, or a decimal string.
std::optional<std::int64_t> integer_of(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_number_float()) {
    const double value = json.get<double>();
    if (std::trunc(value) != value || std::abs(value) > 9007199254740992.0) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (!json.is_string()) return std::nullopt;
  const std::string& text = json.get_ref<const std::string&>();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::pair<std::int64_t, std::int64_t> range_of(DType dtype, bool bits) {
  if (dtype == DType::kBool && !bits) return {0, 1};
  const std::size_t size = dtype_size(dtype);
  const bool is_unsigned = bits || dtype == DType::kUint8 || dtype == DType::kUint32 || dtype == DType::kBool;
  if (size == 8) return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  const std::int64_t span = std::int64_t{1} << (8 * size);
  if (is_unsigned) return {0, span - 1};
  return {-span / 2, span / 2 - 1};
}

template <typename T>
void append(std::vector<std::byte>& out, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

bool append_element(HostTensor& tensor, const Json& json, bool bits) {
  const bool is_float = tensor.dtype == DType::kFloat32 || tensor.dtype == DType::kFloat16;
  if (is_float && !bits) {
    const auto value = number_of(json);
    if (!value) return false;
    if (tensor.dtype == DType::kFloat32) {
      append(tensor.data, static_cast<float>(*value));
    } else {
      append(tensor.data, base::double_to_float16(*value).bits);
    }
    return true;
  }
  const auto value = integer_of(json);
  const auto [low, high] = range_of(tensor.dtype, bits);
  if (!value || *value < low || *value > high) return false;
  const auto word = static_cast<std::uint64_t>(*value);
  for (std::size_t index = 0; index < dtype_size(tensor.dtype); ++index) {
    tensor.data.push_back(static_cast<std::byte>(word >> (8 * index)));
  }
  return true;
}

struct Header {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::int64_t count = 0;
};

Result<Header> read_header(const Json& json, const std::string& pointer) {
  if (!json.is_object()) return fail(pointer, "must be an object");
  Header header;
  const Json* dtype = member(json, "dtype");
  const auto parsed = dtype != nullptr && dtype->is_string() ? dtype_from_name(dtype->get_ref<const std::string&>())
                                                             : std::optional<DType>();
  if (!parsed) return fail(pointer, "dtype must be a logical dtype");
  header.dtype = *parsed;
  const Json* shape = member(json, "shape");
  if (shape == nullptr || !shape->is_array() || shape->size() > limits::kMaxRank)
    return fail(pointer, "shape must be a list");
  for (const Json& dimension : *shape) {
    const auto value = dimension.is_number() ? integer_of(dimension) : std::nullopt;
    if (!value || *value < 0) return fail(pointer, "shape must hold integers >= 0");
    header.shape.push_back(*value);
  }
  const auto count = element_count(header.shape);
  if (!count || *count > std::numeric_limits<std::int64_t>::max() / 8) {
    return fail(pointer, "shape is out of range");
  }
  header.count = *count;
  return header;
}

/// A misspelt key would leave a case that passes and checks nothing.
void warn_unknown_keys(const Json& object, std::span<const std::string_view> known, const std::string& pointer,
                       FileContext& context) {
  constexpr std::size_t kMostWarnings = 50;
  for (const auto& [key, value] : object.get_ref<const Json::object_t&>()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (context.warnings.size() == kMostWarnings) return;
    context.warnings.push_back(fmt::format("test.json: {}: unknown key \"{}\" is ignored{}", printable(pointer, 300),
                                           printable(key), suggestion(key, known)));
  }
}

Result<const Json*> find_values(const Json& data, FileContext& context, const std::string& pointer) {
  const Json* values = member(data, "values");
  if (values == nullptr) return fail(pointer, "must have values");
  if (values->is_array()) return values;
  const Json* reference = member(*values, "$ref");
  constexpr std::string_view kPrefix = "#/fixtureArrays/";
  if (reference == nullptr || !reference->is_string() ||
      !reference->get_ref<const std::string&>().starts_with(kPrefix)) {
    return fail(pointer, "values must be a list or {\"$ref\": \"#/fixtureArrays/name\"}");
  }
  const std::string name = reference->get<std::string>().substr(kPrefix.size());
  const auto found = context.arrays.find(name);
  if (found == context.arrays.end()) return fail(pointer, fmt::format("fixtureArrays has no \"{}\"", name));
  return found->second;
}

Status fill(const Json& data, const std::string& pointer, const Header& header, HostTensor& tensor) {
  if (header.dtype != DType::kFloat32 && header.dtype != DType::kFloat16) {
    return fail(pointer, "fillFloat32 needs dtype float32 or float16");
  }
  double steps[3] = {0, 0, 1};
  const char* const names[3] = {"sinStep", "cosStep", "scale"};
  for (int index = 0; index < 3; ++index) {
    const Json* value = member(data, names[index]);
    if (value == nullptr && index == 2) continue;
    if (value == nullptr || !value->is_number()) return fail(pointer, fmt::format("{} must be a number", names[index]));
    steps[index] = value->get<double>();
  }
  for (std::int64_t index = 0; index < header.count; ++index) {
    const auto i = static_cast<double>(index);
    const auto value = static_cast<float>(steps[2] * (std::sin(steps[0] * i) + std::cos(steps[1] * i)));
    if (header.dtype == DType::kFloat16) {
      append(tensor.data, float_to_float16(value).bits);
    } else {
      append(tensor.data, value);
    }
  }
  return {};
}

Result<HostTensor> read_data(const Json& data, const Header& header, FileContext& context, const std::string& pointer) {
  HostTensor tensor{header.dtype, header.shape, {}};
  const Json* kind = member(data, "kind");
  const std::string name = kind != nullptr && kind->is_string() ? kind->get<std::string>() : std::string();
  if (name != "fillFloat32" && name != "values" && name != "bits") {
    return fail(pointer, fmt::format("unknown data kind \"{}\"", name));
  }
  const std::int64_t bytes = header.count * static_cast<std::int64_t>(dtype_size(header.dtype));
  if (bytes > context.bytes_left) {
    return fail(pointer, fmt::format("the tensors of the file need more than {} bytes", context.max_bytes));
  }
  if (name == "fillFloat32") {
    context.bytes_left -= bytes;
    tensor.data.reserve(static_cast<std::size_t>(bytes));
    WGK_CHECK(fill(data, pointer, header, tensor));
    return tensor;
  }
  WGK_TRY(const Json* values, find_values(data, context, pointer));
  if (values->size() != static_cast<std::size_t>(header.count)) {
    return fail(pointer, fmt::format("has {} values, the shape needs {}", values->size(), header.count));
  }
  context.bytes_left -= bytes;
  tensor.data.reserve(static_cast<std::size_t>(bytes));
  for (std::size_t index = 0; index < values->size(); ++index) {
    if (!append_element(tensor, (*values)[index], name == "bits")) {
      return fail(pointer, fmt::format("value {} does not fit {}", index, dtype_name(header.dtype)));
    }
  }
  return tensor;
}

Result<AttributeValue> read_attribute(const Json& json, const std::string& pointer) {
  if (json.is_boolean()) return AttributeValue(json.get<bool>());
  if (json.is_string()) return AttributeValue(json.get<std::string>());
  if (json.is_number_float()) return AttributeValue(json.get<double>());
  if (json.is_number()) {
    const auto value = integer_of(json);
    if (value) return AttributeValue(*value);
  }
  if (!json.is_array()) return fail(pointer, "must be a number, bool, string or list");
  AttributeValue::List list;
  for (std::size_t index = 0; index < json.size(); ++index) {
    WGK_TRY(AttributeValue item, read_attribute(json[index], base::pointer_child(pointer, index)));
    list.push_back(std::move(item));
  }
  return AttributeValue(std::move(list));
}

/// Calls `visit(key, value, pointer)` for the members of an optional object of the case.
template <typename Visit>
Status each(const Json& json, std::string_view key, const std::string& pointer, Visit&& visit) {
  const Json* map = member(json, key);
  if (map == nullptr) return {};
  const std::string place = base::pointer_child(pointer, key);
  if (!map->is_object()) return fail(place, "must be an object");
  for (const auto& [name, value] : map->get_ref<const Json::object_t&>()) {
    Status status = visit(name, value, base::pointer_child(place, name));
    if (!status.ok()) return status;
  }
  return {};
}

Result<ExpectedTensor> read_expected(const Json& json, FileContext& context, const std::string& pointer) {
  static constexpr auto kKeys = std::to_array<std::string_view>({"dtype", "shape", "data", "tolerance", "allowNaN"});
  WGK_TRY(const Header header, read_header(json, pointer));
  warn_unknown_keys(json, kKeys, pointer, context);
  ExpectedTensor expected;
  expected.dtype = header.dtype;
  expected.shape = header.shape;
  if (const Json* tolerance = member(json, "tolerance")) {
    if (!tolerance->is_number() || !(tolerance->get<double>() >= 0)) return fail(pointer, "tolerance must be >= 0");
    expected.tolerance = tolerance->get<double>();
  }
  if (const Json* allow = member(json, "allowNaN")) expected.allow_nan = *allow == Json(true);
  if (const Json* data = member(json, "data")) {
    WGK_TRY(expected.data, read_data(*data, header, context, base::pointer_child(pointer, "data")));
  }
  return expected;
}

Result<std::string> string_member(const Json& json, std::string_view key, const std::string& pointer) {
  const Json* value = member(json, key);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return fail(base::pointer_child(pointer, key), "must be a string");
  return value->get<std::string>();
}

Status read_case(const Json& json, FileContext& context, const std::string& pointer, TestCase& out) {
  static constexpr auto kKeys =
      std::to_array<std::string_view>({"name", "skipGpu", "provenance", "inputs", "outputs", "attrs", "args",
                                       "expectVariant", "expectError", "check", "$comment"});
  static constexpr auto kInputKeys = std::to_array<std::string_view>({"dtype", "shape", "data"});
  warn_unknown_keys(json, kKeys, pointer, context);
  if (const Json* skip = member(json, "skipGpu")) {
    WGK_TRY(const std::string reason, string_member(*skip, "reason", base::pointer_child(pointer, "skipGpu")));
    out.skip_gpu_reason = reason.empty() ? "skipped without a reason" : reason;
  }
  WGK_TRY(out.variant, string_member(json, "expectVariant", pointer));
  WGK_TRY(out.expect_error, string_member(json, "expectError", pointer));
  WGK_TRY(const std::string check, string_member(json, "check", pointer));
  if (!check.empty() && check != "none" && check != "full") return fail(pointer, "check must be \"full\" or \"none\"");
  out.check_values = check != "none";
  WGK_CHECK(
      each(json, "inputs", pointer, [&](const std::string& key, const Json& value, const std::string& place) -> Status {
        WGK_TRY(const Header header, read_header(value, place));
        warn_unknown_keys(value, kInputKeys, place, context);
        const Json* data = member(value, "data");
        if (data == nullptr) return fail(place, "must have data");
        WGK_TRY(HostTensor tensor, read_data(*data, header, context, base::pointer_child(place, "data")));
        out.inputs.emplace_back(key, std::move(tensor));
        return {};
      }));
  WGK_CHECK(each(json, "outputs", pointer,
                 [&](const std::string& key, const Json& value, const std::string& place) -> Status {
                   WGK_TRY(ExpectedTensor expected, read_expected(value, context, place));
                   out.outputs.emplace_back(key, std::move(expected));
                   return {};
                 }));
  const auto attributes = [&](std::string_view key, Attributes& into) {
    return each(json, key, pointer,
                [&](const std::string& name, const Json& value, const std::string& place) -> Status {
                  WGK_TRY(AttributeValue attribute, read_attribute(value, place));
                  into.insert_or_assign(name, std::move(attribute));
                  return {};
                });
  };
  WGK_CHECK(attributes("attrs", out.attrs));
  return attributes("args", out.args);
}

}  // namespace

Result<TestFile> parse_test_file(std::string_view text, const TestFileLimits& limits) {
  if (text.size() > limits::kMaxTestFileBytes) {
    return Error{ErrorCode::kPackage,
                 fmt::format("test.json is {} bytes; the limit is {}", text.size(), limits::kMaxTestFileBytes)};
  }
  const auto json = base::parse_json(text, ErrorCode::kPackage);
  if (!json.ok()) return Error{ErrorCode::kPackage, "test.json: " + json.error().message};
  const Json* cases = member(*json, "cases");
  if (cases == nullptr || !cases->is_array()) return fail("/cases", "must be a list");
  FileContext context;
  context.max_bytes = limits.max_tensor_bytes;
  context.bytes_left = limits.max_tensor_bytes;
  WGK_CHECK(each(*json, "fixtureArrays", "",
                 [&](const std::string& name, const Json& value, const std::string& place) -> Status {
                   if (!value.is_array()) return fail(place, "must be a list");
                   context.arrays.emplace(name, &value);
                   return {};
                 }));
  TestFile file;
  std::set<std::string> names;
  for (std::size_t index = 0; index < std::min(cases->size(), limits.max_cases); ++index) {
    const std::string pointer = base::pointer_child("/cases", index);
    const Json& json_case = (*cases)[index];
    if (!json_case.is_object()) return fail(pointer, "must be an object");
    TestCase parsed;
    WGK_TRY(parsed.name, string_member(json_case, "name", pointer));
    if (parsed.name.empty() || !names.insert(parsed.name).second) return fail(pointer, "must have a unique name");
    if (limits.wanted && !limits.wanted(parsed.name)) continue;
    if (Status status = read_case(json_case, context, pointer, parsed); !status.ok())
      parsed.error = status.error().message;
    file.cases.push_back(std::move(parsed));
  }
  file.warnings = std::move(context.warnings);
  return file;
}

}  // namespace wgk::package
