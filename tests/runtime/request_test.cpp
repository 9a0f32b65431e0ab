// Requests and tensors as JSON: exactness at the edges of every dtype.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <wgk/request.hpp>

namespace wgk {
namespace {

/// The tensor of {"dtype", "shape": [n], "data": [list]} or the error.
Result<HostTensor> read(const std::string& dtype, int count, const std::string& data) {
  const auto request = request_from_json("{\"inputs\": {\"t\": {\"dtype\": \"" + dtype + "\", \"shape\": [" +
                                             std::to_string(count) + "], \"data\": " + data + "}}}",
                                         {});
  if (!request) return request.error();
  return request->inputs.at("t");
}

TEST(RequestTensor, Int64IsExactOverItsWholeRange) {
  const auto tensor = read("int64", 7,
                           "[9223372036854775807, -9223372036854775808, \"9223372036854775807\", "
                           "\"-9223372036854775808\", 9007199254740993, \"-1\", 4.0]");
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  const auto values = tensor->as<std::int64_t>();
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t min = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> want = {max, min, max, min, 9007199254740993, -1, 4};
  EXPECT_EQ(std::vector<std::int64_t>(values.begin(), values.end()), want);
}

TEST(RequestTensor, IntegersOutsideTheDtypeAreRefused) {
  const std::pair<const char*, const char*> rows[] = {{"int64", "9223372036854775808"},
                                                      {"int64", "\"9223372036854775808\""},
                                                      {"int64", "\"-9223372036854775809\""},
                                                      {"int64", "1e19"},
                                                      {"int64", "1e300"},
                                                      {"int64", "0.5"},
                                                      {"int64", "\"1.0\""},
                                                      {"int64", "\"\""},
                                                      {"int64", "\"+1\""},
                                                      {"int64", "\" 1\""},
                                                      {"int64", "true"},
                                                      {"int64", "null"},
                                                      {"int64", "[1]"},
                                                      {"int64", "\"NaN\""},
                                                      {"int64", "9007199254740994.0"},
                                                      {"int32", "2147483648"},
                                                      {"int32", "-2147483649"},
                                                      {"uint32", "-1"},
                                                      {"uint32", "4294967296"},
                                                      {"int16", "32768"},
                                                      {"int8", "-129"},
                                                      {"uint8", "256"},
                                                      {"bool", "2"},
                                                      {"bool", "\"true\""}};
  for (const auto& [dtype, value] : rows) {
    const auto tensor = read(dtype, 1, std::string("[") + value + "]");
    ASSERT_FALSE(tensor.ok()) << dtype << " " << value;
    EXPECT_EQ(tensor.error().code, ErrorCode::kRequest);
    EXPECT_NE(tensor.error().message.find("/inputs/t/data/0: t[0]: "), std::string::npos) << tensor.error().message;
  }
}

TEST(RequestTensor, ExtremesOfSmallIntegers) {
  const auto i8 = read("int8", 2, "[127, -128]");
  ASSERT_TRUE(i8.ok());
  EXPECT_EQ(i8->as<std::int8_t>()[1], -128);
  const auto u32 = read("uint32", 1, "[4294967295]");
  ASSERT_TRUE(u32.ok());
  EXPECT_EQ(u32->as<std::uint32_t>()[0], 4294967295U);
  const auto flags = read("bool", 4, "[true, false, 1, 0]");
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(std::memcmp(flags->data.data(), "\1\0\1\0", 4), 0);
}

TEST(RequestTensor, FloatsRoundOnceToNearestEven) {
  // Halves between two binary16 values, and the same by a hair more: 1 + 2^-11 ties to 1; 1 + 2^-11 + 2^-40 lies above
  // the tie, although as a binary32 it is the tie itself.
  const auto half =
      read("float16", 6, "[1.00048828125, 1.00048828125090949, 65519.99, 5.960464477539063e-8, 2.98e-8, 2.99e-8]");
  ASSERT_TRUE(half.ok()) << half.error().message;
  const auto bits = half->as<Float16>();
  EXPECT_EQ(bits[0].bits, 0x3c00);
  EXPECT_EQ(bits[1].bits, 0x3c01);
  EXPECT_EQ(bits[2].bits, 0x7bff);
  EXPECT_EQ(bits[3].bits, 0x0001);
  EXPECT_EQ(bits[4].bits, 0x0000);  // below half of the smallest subnormal, 2.9802322e-8
  EXPECT_EQ(bits[5].bits, 0x0001);
  const auto single = read("float32", 3, "[0.1, -0.0, 16777217]");
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(single->as<float>()[0], 0.1F);
  EXPECT_TRUE(std::signbit(single->as<float>()[1]));
  EXPECT_EQ(single->as<float>()[2], 16777216.0F);
}

TEST(RequestTensor, SpecialFloats) {
  for (const char* dtype : {"float32", "float16"}) {
    const auto tensor = read(dtype, 3, R"(["NaN", "Infinity", "-Infinity"])");
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    const auto value = [&](std::size_t i) {
      return tensor->dtype == DType::kFloat32 ? tensor->as<float>()[i] : float16_to_float(tensor->as<Float16>()[i]);
    };
    EXPECT_TRUE(std::isnan(value(0)));
    EXPECT_EQ(value(1), std::numeric_limits<float>::infinity());
    EXPECT_EQ(value(2), -std::numeric_limits<float>::infinity());
  }
  EXPECT_FALSE(read("float16", 1, "[65520]").ok());  // rounds to infinity, which nobody wrote
  EXPECT_FALSE(read("float32", 1, "[3.4028236e38]").ok());
  EXPECT_FALSE(read("float32", 1, "[\"nan\"]").ok());
}

TEST(RequestTensor, BitsFillAndValues) {
  const auto bits = read("float32", 2, R"({"kind": "bits", "values": [2143289345, 2147483648]})");
  ASSERT_TRUE(bits.ok()) << bits.error().message;
  EXPECT_EQ(tensor_to_json(*bits, true),
            R"({"dtype":"float32","shape":[2],"data":{"kind":"bits","values":[2143289345,2147483648]}})");
  EXPECT_EQ(tensor_to_json(*bits, false), R"({"dtype":"float32","shape":[2],"data":["NaN",-0.0]})");
  const auto fill = read("int64", 3, R"({"kind": "fill", "value": "-5"})");
  ASSERT_TRUE(fill.ok()) << fill.error().message;
  EXPECT_EQ(tensor_to_json(*fill, false), R"({"dtype":"int64","shape":[3],"data":[-5,-5,-5]})");
  const auto values = read("int64", 1, R"({"kind": "values", "values": [7]})");
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->as<std::int64_t>()[0], 7);
  EXPECT_FALSE(read("float16", 1, R"({"kind": "bits", "values": [65536]})").ok());
  EXPECT_FALSE(read("float16", 1, R"({"kind": "bits", "values": [-1]})").ok());
  EXPECT_FALSE(read("float16", 1, R"({"kind": "bits", "values": [0.5]})").ok());
  EXPECT_FALSE(read("float16", 1, R"({"kind": "fill", "value": 1, "valeu": 2})").ok());
}

TEST(RequestTensor, TextReadsBackToTheSameBits) {
  const float values[] = {0.1F, 1e-45F, 3.4028235e38F, -0.0F, 1.0F / 3, 123456.78F};
  const HostTensor tensor = HostTensor::from<float>({6}, std::span<const float>(values));
  const auto request = request_from_json("{\"inputs\": {\"t\": " + tensor_to_json(tensor, false) + "}}", {});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->inputs.at("t"), tensor);
}

TEST(Request, RankZeroAndEmptyShapes) {
  const auto scalar = request_from_json(R"({"inputs": {"t": {"dtype": "float32", "shape": [], "data": [3]}}})", {});
  ASSERT_TRUE(scalar.ok()) << scalar.error().message;
  EXPECT_EQ(scalar->inputs.at("t").shape, Shape{});
  const auto empty = request_from_json(R"({"inputs": {"t": {"dtype": "float32", "shape": [0, 4], "data": []}}})", {});
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_EQ(empty->inputs.at("t").data.size(), 0U);
}

TEST(Request, AttributesKeepTheirKind) {
  const auto request = request_from_json(
      R"({"inputs": {}, "attrs": {"a": 1, "b": 1.5, "c": true, "d": "text", "e": [1, [2]], "f": 9223372036854775807}})",
      {});
  ASSERT_TRUE(request.ok()) << request.error().message;
  const Attributes& attrs = request->options.attrs;
  EXPECT_EQ(attrs.at("a"), AttributeValue(1));
  EXPECT_EQ(attrs.at("b"), AttributeValue(1.5));
  EXPECT_EQ(attrs.at("c"), AttributeValue(true));
  EXPECT_EQ(attrs.at("d"), AttributeValue("text"));
  EXPECT_EQ(attrs.at("e"), AttributeValue(AttributeValue::List{
                               AttributeValue(1), AttributeValue(AttributeValue::List{AttributeValue(2)})}));
  EXPECT_EQ(attrs.at("f"), AttributeValue(std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(request_from_json(R"({"inputs": {}, "attrs": {"a": null}})", {}).ok());
  EXPECT_FALSE(request_from_json(R"({"inputs": {}, "attrs": {"a": 18446744073709551615}})", {}).ok());
  EXPECT_FALSE(request_from_json(R"({"inputs": {}, "attrs": []})", {}).ok());
}

TEST(Request, ATestCaseIsARequest) {
  const auto request = request_from_json(
      R"({"name": "n", "provenance": {}, "inputs": {},
          "outputs": {"y": {"dtype": "float32", "shape": [1]}}, "attrs": {}})",
      {});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->options.outputs, std::vector<std::string>{"y"});
}

TEST(AttributeFromJson, ReportsUsage) {
  EXPECT_EQ(*attribute_from_json("[1, 2]"), AttributeValue(AttributeValue::List{AttributeValue(1), AttributeValue(2)}));
  for (const char* text : {"", "{}", "null", "1 2", "word"}) {
    const auto value = attribute_from_json(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace wgk
