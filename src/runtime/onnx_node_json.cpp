// Reading the description of an ONNX node.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>
#include <wgk/onnx_node.hpp>

#include "base/json.h"
#include "base/try.h"
#include "package/node.h"
#include "runtime/attribute_json.h"

namespace wgk::runtime {
namespace {

using base::Json;
using base::pointer_child;

constexpr std::size_t kMaxValues = 1024;  ///< inputs or outputs of one node

Error bad(const std::string& pointer, std::string_view reason) {
  return Error{ErrorCode::kRequest, fmt::format("node: {}: {}", pointer.empty() ? "/" : pointer, reason)};
}

/// The names of TensorProto.DataType, its numbers, and ours.
struct OnnxDtype {
  std::string_view name;
  int number;
  DType dtype;
};
constexpr std::array kDtypes = {
    OnnxDtype{"float", 1, DType::kFloat32},  OnnxDtype{"uint8", 2, DType::kUint8},
    OnnxDtype{"int8", 3, DType::kInt8},      OnnxDtype{"int16", 5, DType::kInt16},
    OnnxDtype{"int32", 6, DType::kInt32},    OnnxDtype{"int64", 7, DType::kInt64},
    OnnxDtype{"bool", 9, DType::kBool},      OnnxDtype{"float16", 10, DType::kFloat16},
    OnnxDtype{"uint32", 12, DType::kUint32},
};

/// "float16", "FLOAT16", "tensor(float16)" and 10 are one dtype.
std::optional<DType> read_dtype(const Json& json) {
  if (json.is_number_integer()) {
    const auto found =
        std::find_if(kDtypes.begin(), kDtypes.end(), [&](const OnnxDtype& d) { return json == d.number; });
    return found == kDtypes.end() ? std::nullopt : std::optional(found->dtype);
  }
  if (!json.is_string()) return std::nullopt;
  std::string name = json.get<std::string>();
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name.starts_with("tensor(") && name.ends_with(")")) name = name.substr(7, name.size() - 8);
  if (const auto own = dtype_from_name(name)) return own;
  const auto found = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const OnnxDtype& d) { return d.name == name; });
  return found == kDtypes.end() ? std::nullopt : std::optional(found->dtype);
}

Result<Shape> read_shape(const Json& json, const std::string& pointer) {
  if (!json.is_array()) return bad(pointer, "must be a list of dimensions");
  if (json.size() > limits::kMaxRank) return bad(pointer, fmt::format("more than {} dimensions", limits::kMaxRank));
  Shape shape;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string place = pointer_child(pointer, i);
    if (json[i].is_string()) {
      return bad(place, fmt::format("\"{}\" is symbolic; a call needs the number that it stands for",
                                    package::printable(json[i].get<std::string>())));
    }
    if (!json[i].is_number_unsigned() || json[i].get<std::uint64_t>() > limits::kMaxElements) {
      return bad(place, "must be an integer >= 0");
    }
    shape.push_back(json[i].get<std::int64_t>());
  }
  if (!element_count(shape)) return bad(pointer, fmt::format("{} has too many elements", to_string(shape)));
  return shape;
}

Status known_keys(const Json& object, const std::string& pointer, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return bad(pointer_child(pointer, key), "unknown key" + package::suggestion(key, known));
  }
  return {};
}

Result<std::string> read_string(const Json& object, const char* key, const std::string& pointer) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return bad(pointer_child(pointer, key), "must be a string");
  return found->get<std::string>();
}

Result<OnnxValue> read_value(const Json& json, const std::string& pointer) {
  OnnxValue value;
  if (json.is_null()) return value;
  if (json.is_string()) {
    value.name = json.get<std::string>();
    return value;
  }
  if (!json.is_object()) return bad(pointer, "must be an object with \"name\", \"shape\" and \"dtype\"");
  WGK_CHECK(known_keys(json, pointer, {"name", "port", "dtype", "shape", "data"}));
  WGK_TRY(value.name, read_string(json, "name", pointer));
  WGK_TRY(value.port, read_string(json, "port", pointer));
  if (const auto dtype = json.find("dtype"); dtype != json.end()) {
    value.dtype = read_dtype(*dtype);
    if (!value.dtype) {
      return bad(pointer + "/dtype", fmt::format("{} is no dtype that kernels know; they know float32, float16, int8, "
                                                 "int16, int32, int64, uint8, uint32 and bool",
                                                 package::json_text(&*dtype)));
    }
  }
  if (const auto shape = json.find("shape"); shape != json.end()) {
    WGK_TRY(value.shape, read_shape(*shape, pointer + "/shape"));
  }
  return value;
}

/// A list by position, or an object by the operator's names.
Result<std::vector<OnnxValue>> read_values(const Json& node, const char* key) {
  std::vector<OnnxValue> values;
  const auto found = node.find(key);
  if (found == node.end()) return values;
  const std::string pointer = std::string("/") + key;
  if (!found->is_array() && !found->is_object()) return bad(pointer, "must be a list, or an object by port");
  if (found->size() > kMaxValues) return bad(pointer, fmt::format("more than {} values", kMaxValues));
  if (found->is_array()) {
    for (std::size_t i = 0; i < found->size(); ++i) {
      WGK_TRY(OnnxValue value, read_value((*found)[i], pointer_child(pointer, i)));
      values.push_back(std::move(value));
    }
    return values;
  }
  for (const auto& [port, json] : found->items()) {
    WGK_TRY(OnnxValue value, read_value(json, pointer_child(pointer, port)));
    if (!value.port.empty()) return bad(pointer_child(pointer, port) + "/port", "the key of the object names the port");
    value.port = port;
    if (value.name.empty() && json.is_object()) value.name = port;
    values.push_back(std::move(value));
  }
  return values;
}

Result<OnnxNode> read_node(const Json& json) {
  if (!json.is_object()) return bad("", "must be an object");
  WGK_CHECK(known_keys(json, "", {"name", "op_type", "domain", "opset", "attributes", "inputs", "outputs"}));
  OnnxNode node;
  WGK_TRY(node.name, read_string(json, "name", ""));
  WGK_TRY(node.op_type, read_string(json, "op_type", ""));
  WGK_TRY(node.domain, read_string(json, "domain", ""));
  if (node.op_type.empty())
    return bad("/op_type", "is missing; it is the name of the operator, such as RotaryEmbedding");
  if (const auto opset = json.find("opset"); opset != json.end()) {
    if (!opset->is_number_unsigned() || *opset == 0 || opset->get<std::uint64_t>() > limits::kMaxSafeInteger) {
      return bad("/opset", "must be an integer >= 1");
    }
    node.opset = opset->get<std::int64_t>();
  }
  if (const auto attributes = json.find("attributes"); attributes != json.end()) {
    WGK_TRY(node.attributes, attribute_map(*attributes, "node: /attributes", ErrorCode::kRequest));
  }
  WGK_TRY(node.inputs, read_values(json, "inputs"));
  WGK_TRY(node.outputs, read_values(json, "outputs"));
  return node;
}

}  // namespace
}  // namespace wgk::runtime

namespace wgk::inline v0 {

std::string OnnxNode::op() const { return fmt::format("{}.{}", domain.empty() ? "ai.onnx" : domain, op_type); }

Result<OnnxNode> OnnxNode::from_json(std::string_view text) {
  auto json = base::parse_json(text, ErrorCode::kRequest);
  if (!json) return Error{ErrorCode::kRequest, fmt::format("node: {}", json.error().message)};
  return runtime::read_node(*json);
}

}  // namespace wgk::inline v0
