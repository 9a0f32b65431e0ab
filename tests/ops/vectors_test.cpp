// The shared test vectors through check() and the reference. They lie beside the repository and are read in place.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ops/call_builder.h"

namespace wgk::ops::testing {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

HostTensor read_tensor(const Json& json) {
  const auto shape = json.at("shape").get<Shape>();
  const auto dtype = dtype_from_name(json.at("dtype").get<std::string>()).value();
  const Json& data = json.at("data");
  const std::string encoding = json.value("encoding", "");
  if (encoding == "u16bits") return half_bits(shape, data.get<std::vector<std::uint16_t>>());
  if (encoding == "u32bits") return float_bits(shape, data.get<std::vector<std::uint32_t>>());
  if (dtype == DType::kInt64) return HostTensor::from(shape, data.get<std::vector<std::int64_t>>());
  return HostTensor::from(shape, data.get<std::vector<float>>());
}

AttributeValue read_attribute(const Json& json) {
  if (json.is_array()) {
    AttributeValue::List list;
    for (const Json& item : json) list.push_back(read_attribute(item));
    return list;
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.get<double>();
}

OwnedCall read_call(const Json& vector) {
  static const std::map<std::string, std::string> kBindKeys = {
      {"X", "x"},      {"input", "x"}, {"cos_cache", "cos"}, {"sin_cache", "sin"}, {"position_ids", "positionIds"},
      {"emb", "embT"}, {"q", "qT"},    {"q_rot", "qRotT"},   {"k", "kT"},          {"k_rot", "kRotT"}};
  OwnedCall call;
  for (const Json& input : vector.at("inputs")) {
    call.tensors.emplace(kBindKeys.at(input.at("name").get<std::string>()), read_tensor(input));
  }
  for (const auto& [name, value] : vector.at("attrs").items()) {
    call.options.attributes.emplace(name, read_attribute(value));
  }
  return call;
}

void expect_float32(const HostTensor& got, const HostTensor& want, double tolerance) {
  const auto a = got.as<float>();
  const auto b = want.as<float>();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(a[i] == b[i] || std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= tolerance)
        << i << ": got " << a[i] << ", want " << b[i];
  }
}

void expect_outputs(const Json& vector, std::string_view id, const OwnedCall& call) {
  const OpOutputs outputs = op(id).reference(call.view()).value();
  ASSERT_EQ(outputs.size(), vector.at("outputs").size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const HostTensor want = read_tensor(vector.at("outputs")[i]);
    const HostTensor& got = outputs[i].second;
    ASSERT_EQ(got.dtype, want.dtype);
    ASSERT_EQ(got.shape, want.shape);
    if (want.dtype == DType::kFloat16) {
      EXPECT_EQ(bits16(got), bits16(want));
    } else {
      // Without a stated tolerance the numbers come from a float32 evaluation of small values.
      expect_float32(got, want, vector.value("tolerance_abs", 1e-6));
    }
  }
  // What a vector states in bits is also what compare() must accept.
  EXPECT_TRUE(op(id).compare(call.view(), outputs, outputs).empty());
}

/// Our own complaint for each vector that another project refuses.
const std::map<std::string, std::string> kComplaints = {
    {"onnx_err_pos_exceeds", "positionIds: value 2048 at index 0 must be in [0, 8), the cos rows"},
    {"onnx_err_pos_negative", "positionIds: value -1 at index 0 must be in [0, 8), the cos rows"},
    {"onnx_err_pos_oob_in_batch", "positionIds: value 100 at index 3 must be in [0, 8), the cos rows"},
    {"mrope_err_negative_rotary_dim", "rotary_embedding_dim: -1 must be 0 or a positive even number"},
    {"mrope_err_odd_rotary_dim", "rotary_embedding_dim: 3 must be 0 or a positive even number"},
    {"mrope_err_section_sum_overflow", "mrope_section: sum 4294967297 must be rotary_dim / 2 = 1"},
};

void run_vector(const std::string& name, const Json& vector) {
  const std::string id = vector.at("domain").get<std::string>() + "." + vector.at("op").get<std::string>();
  OwnedCall call = read_call(vector);
  const Json& expect = vector.at("expect");
  if (expect.is_object()) {
    ASSERT_TRUE(kComplaints.contains(name));
    EXPECT_EQ(complaint(id, call), kComplaints.at(name));
    return;
  }
  if (vector.at("attrs").value("is_packed_batching", 0) == 1) {
    EXPECT_EQ(complaint(id, call), "is_packed_batching: 1 must be 0, packed batching is not implemented");
    call.options.extensions.packed_batching = true;
  }
  if (expect == "error_or_passthrough" || name.find("oob") != std::string::npos) {
    EXPECT_EQ(complaint(id, call).compare(0, 19, "positionIds: value "), 0) << complaint(id, call);
    call.options.check_values = false;
  }
  EXPECT_EQ(complaint(id, call), "");
  expect_outputs(vector, id, call);
}

TEST(Vectors, EveryVectorHolds) {
  const fs::path folder = fs::path(WGK_SOURCE_DIR) / ".." / "shared" / "vectors";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no test vectors beside the repository: " << folder;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Json vector = Json::parse(std::ifstream(entry.path()));
    if (!vector.is_object() || !vector.contains("op")) continue;
    SCOPED_TRACE(entry.path().stem().string());
    run_vector(entry.path().stem().string(), vector);
    ++count;
  }
  EXPECT_GE(count, 72);
}

}  // namespace
}  // namespace wgk::ops::testing
