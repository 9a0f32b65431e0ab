// Calls of the rotary operators for tests: tensors that own their data, and tables of named changes to a valid call.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <wgk/tensor.hpp>

#include "ops/operator.h"

namespace wgk::ops::testing {

inline constexpr std::string_view kStandardId = "ai.onnx.RotaryEmbedding";
inline constexpr std::string_view kMultimodalId = "com.microsoft.MRotaryEmbedding";
inline constexpr std::string_view kGemmaId = "com.microsoft.GemmaRotaryEmbedding";

/// A call together with its tensors.
struct OwnedCall {
  std::map<std::string, HostTensor> tensors;
  OpCall options;  ///< everything but the inputs

  OpCall view() const {
    OpCall call = options;
    for (const auto& [key, tensor] : tensors) call.inputs.emplace(key, &tensor);
    return call;
  }
};

inline HostTensor zeros(DType dtype, Shape shape) {
  const auto count = static_cast<std::size_t>(element_count(shape).value_or(0));
  return HostTensor{dtype, std::move(shape), std::vector<std::byte>(count * dtype_size(dtype))};
}

/// A tensor without its bytes, for calls that are too large to hold.
inline HostTensor shape_only(DType dtype, Shape shape) { return HostTensor{dtype, std::move(shape), {}}; }

inline HostTensor floats(Shape shape, std::vector<float> values) { return HostTensor::from(std::move(shape), values); }

inline HostTensor positions(Shape shape, std::vector<std::int64_t> values) {
  return HostTensor::from(std::move(shape), values);
}

inline HostTensor half_bits(Shape shape, const std::vector<std::uint16_t>& bits) {
  std::vector<Float16> values;
  for (const std::uint16_t b : bits) values.push_back(Float16{b});
  return HostTensor::from(std::move(shape), values);
}

inline HostTensor float_bits(Shape shape, const std::vector<std::uint32_t>& bits) {
  std::vector<float> values;
  for (const std::uint32_t b : bits) values.push_back(std::bit_cast<float>(b));
  return HostTensor::from(std::move(shape), values);
}

inline std::vector<std::uint16_t> bits16(const HostTensor& tensor) {
  std::vector<std::uint16_t> bits;
  for (const Float16 value : tensor.as<Float16>()) bits.push_back(value.bits);
  return bits;
}

inline std::vector<std::uint32_t> bits32(const HostTensor& tensor) {
  std::vector<std::uint32_t> bits;
  for (const float value : tensor.as<float>()) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

inline std::vector<float> values(const HostTensor& tensor) {
  const auto span = tensor.as<float>();
  return {span.begin(), span.end()};
}

inline AttributeValue sections(std::int64_t t, std::int64_t h, std::int64_t w) {
  return AttributeValue::List{AttributeValue(t), AttributeValue(h), AttributeValue(w)};
}

inline const Operator& op(std::string_view id) {
  const Operator* found = find_operator(id);
  if (found == nullptr) throw std::logic_error("unknown operator");
  return *found;
}

/// The message of check(), without the operator id; empty when the call is accepted. Fails loudly on a wrong prefix.
inline std::string complaint(std::string_view id, const OwnedCall& call, const DeviceProfile* profile = nullptr) {
  const Status status = op(id).check(call.view(), profile);
  if (status.ok()) return "";
  const std::string prefix = std::string(id) + ": ";
  const std::string& message = status.error().message;
  if (status.error().code != ErrorCode::kRequest) return "wrong error code: " + message;
  if (message.compare(0, prefix.size(), prefix) != 0) return "wrong prefix: " + message;
  return message.substr(prefix.size());
}

/// The only output, or the named one. Throws on an error.
inline HostTensor run(std::string_view id, const OwnedCall& call, std::string_view output = "y") {
  const OpOutputs outputs = op(id).reference(call.view()).value();
  for (const auto& [key, tensor] : outputs) {
    if (key == output) return tensor;
  }
  throw std::logic_error("no such output");
}

/// RotaryEmbedding, rank 3: x [1,3,8], two heads of four, eight rows, positions 0, 1, 2.
inline OwnedCall standard_call() {
  OwnedCall call;
  call.tensors = {{"x", zeros(DType::kFloat32, {1, 3, 8})},
                  {"cos", zeros(DType::kFloat32, {8, 2})},
                  {"sin", zeros(DType::kFloat32, {8, 2})},
                  {"positionIds", positions({1, 3}, {0, 1, 2})}};
  call.options.attributes = {{"num_heads", 2}};
  return call;
}

/// MRotaryEmbedding, rank 3: x [2,3,12], two heads of six, eight rows, all positions 0.
inline OwnedCall multimodal_call() {
  OwnedCall call;
  call.tensors = {{"x", zeros(DType::kFloat32, {2, 3, 12})},
                  {"positionIds", zeros(DType::kInt64, {3, 2, 3})},
                  {"cos", zeros(DType::kFloat32, {8, 3})},
                  {"sin", zeros(DType::kFloat32, {8, 3})}};
  call.options.attributes = {{"num_heads", 2}, {"mrope_section", sections(1, 1, 1)}};
  return call;
}

/// GemmaRotaryEmbedding: q [2,2,4,8].
inline OwnedCall gemma_call() {
  OwnedCall call;
  call.tensors.emplace("embT", zeros(DType::kFloat32, {2, 4, 8}));
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"})
    call.tensors.emplace(key, zeros(DType::kFloat16, {2, 2, 4, 8}));
  return call;
}

}  // namespace wgk::ops::testing
