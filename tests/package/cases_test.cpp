// test.json: every kind of data, and malformed cases that leave the others alone.
#include "package/cases.h"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wgk::package {
namespace {

/// A file with one case that has one input x.
std::string file_with(const std::string& dtype, const std::string& shape, const std::string& data) {
  return fmt::format(R"({{"fixtureArrays": {{"four": [1, 2, 3, 4]}},
    "cases": [{{"name": "c", "inputs": {{"x": {{"dtype": "{}", "shape": {}, "data": {}}}}}}}]}})",
                     dtype, shape, data);
}

template <typename T>
std::vector<T> elements(const std::string& dtype, const std::string& shape, const std::string& data) {
  const auto file = parse_test_file(file_with(dtype, shape, data));
  EXPECT_TRUE(file.ok());
  EXPECT_EQ(file->cases[0].error, "") << data;
  if (!file.ok() || file->cases[0].inputs.empty()) return {};
  const auto span = file->cases[0].inputs[0].second.as<T>();
  return {span.begin(), span.end()};
}

std::string case_error(const std::string& dtype, const std::string& shape, const std::string& data) {
  const auto file = parse_test_file(file_with(dtype, shape, data));
  return file.ok() ? file->cases[0].error : file.error().message;
}

TEST(Cases, Values) {
  EXPECT_EQ(elements<float>("float32", "[2, 2]", R"({"kind": "values", "values": {"$ref": "#/fixtureArrays/four"}})"),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(elements<float>("float32", "[]", R"({"kind": "values", "values": [0.5]})"), std::vector<float>{0.5f});
  EXPECT_EQ(elements<float>("float32", "[0, 7]", R"({"kind": "values", "values": []})"), std::vector<float>{});
  EXPECT_EQ(elements<std::int64_t>(
                "int64", "[3]",
                R"({"kind": "values", "values": ["-9223372036854775808", 9223372036854775807, "4294967296"]})"),
            (std::vector<std::int64_t>{INT64_MIN, INT64_MAX, 4294967296}));
  EXPECT_EQ(elements<std::int8_t>("int8", "[2]", R"({"kind": "values", "values": [-128, 127]})"),
            (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ(elements<std::uint32_t>("uint32", "[1]", R"({"kind": "values", "values": [4294967295.0]})"),
            std::vector<std::uint32_t>{4294967295u});
  const auto specials =
      elements<float>("float32", "[3]", R"({"kind": "values", "values": ["NaN", "Infinity", "-Infinity"]})");
  ASSERT_EQ(specials.size(), 3u);
  EXPECT_TRUE(std::isnan(specials[0]));
  EXPECT_EQ(specials[1], INFINITY);
  EXPECT_EQ(specials[2], -INFINITY);
}

TEST(Cases, Float16IsRoundedOnce) {
  // 1 + 2^-11 lies half-way between 0x3c00 and 0x3c01 and goes to the even one; a little more goes up. Through float32
  // that little would be lost.
  EXPECT_EQ(
      elements<Float16>("float16", "[3]", R"({"kind": "values", "values": [1, 1.00048828125, 1.0004882812500002]})"),
      (std::vector<Float16>{{0x3c00}, {0x3c00}, {0x3c01}}));
  EXPECT_EQ(elements<Float16>("float16", "[2]", R"({"kind": "bits", "values": [64512, 31745]})"),
            (std::vector<Float16>{{0xfc00}, {0x7c01}}));
}

TEST(Cases, Fill) {
  // float32(scale * (sin(a i) + cos(b i))) for a = 1, b = 2: computed by hand to ten digits.
  const auto values =
      elements<float>("float32", "[3]", R"({"kind": "fillFloat32", "sinStep": 1, "cosStep": 2, "scale": 0.5})");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0], 0.5f);
  EXPECT_FLOAT_EQ(values[1], 0.2126620741f);
  EXPECT_FLOAT_EQ(values[2], 0.1278269030f);
  EXPECT_EQ(elements<Float16>("float16", "[1]", R"({"kind": "fillFloat32", "sinStep": 1, "cosStep": 2})"),
            std::vector<Float16>{{0x3c00}});
}

TEST(Cases, BadDataFailsTheCase) {
  const std::string at = "test.json: /cases/0/inputs/x";
  const std::tuple<const char*, const char*, const char*, std::string> rows[] = {
      {"float32", "[1]", R"({"kind": "noise"})", at + "/data: unknown data kind \"noise\""},
      {"float32", "[1]", "3", at + "/data: unknown data kind \"\""},
      {"float32", "[1]", R"({"kind": "values"})", at + "/data: must have values"},
      {"float32", "[1]", R"({"kind": "values", "values": {"$ref": "#/other/a"}})",
       at + "/data: values must be a list or {\"$ref\": \"#/fixtureArrays/name\"}"},
      {"float32", "[1]", R"({"kind": "values", "values": {"$ref": "#/fixtureArrays/a"}})",
       at + "/data: fixtureArrays has no \"a\""},
      {"float32", "[2, 3]", R"({"kind": "values", "values": [1]})", at + "/data: has 1 values, the shape needs 6"},
      {"float32", "[1]", R"({"kind": "values", "values": ["one"]})", at + "/data: value 0 does not fit float32"},
      {"int64", "[1]", R"({"kind": "values", "values": ["9223372036854775808"]})",
       at + "/data: value 0 does not fit int64"},
      {"int64", "[1]", R"({"kind": "values", "values": ["1 "]})", at + "/data: value 0 does not fit int64"},
      {"int32", "[1]", R"({"kind": "values", "values": [0.5]})", at + "/data: value 0 does not fit int32"},
      {"uint8", "[2]", R"({"kind": "values", "values": [255, 256]})", at + "/data: value 1 does not fit uint8"},
      {"bool", "[2]", R"({"kind": "values", "values": [true, 2]})", at + "/data: value 1 does not fit bool"},
      {"int32", "[1]", R"({"kind": "fillFloat32", "sinStep": 1, "cosStep": 1})",
       at + "/data: fillFloat32 needs dtype float32 or float16"},
      {"float32", "[1]", R"({"kind": "fillFloat32", "sinStep": 1})", at + "/data: cosStep must be a number"},
      {"float31", "[1]", R"({"kind": "values", "values": [1]})", at + ": dtype must be a logical dtype"},
      {"float32", "[-1]", R"({"kind": "values", "values": []})", at + ": shape must hold integers >= 0"},
      {"float32", "[\"1\"]", R"({"kind": "values", "values": [1]})", at + ": shape must hold integers >= 0"},
      {"float32", "3", R"({"kind": "values", "values": []})", at + ": shape must be a list"},
      {"float32", "[4294967296, 4294967296]", R"({"kind": "values", "values": []})", at + ": shape is out of range"},
  };
  for (const auto& [dtype, shape, data, error] : rows) EXPECT_EQ(case_error(dtype, shape, data), error) << data;
}

TEST(Cases, TensorsOfAFileAreBoundedTogether) {
  const std::string data = R"({"kind": "values", "values": {"$ref": "#/fixtureArrays/a"}})";
  std::string cases;
  for (const char* name : {"a", "b", "c"}) {
    cases += fmt::format(R"({}{{"name": "{}", "inputs": {{"x": {{"dtype": "float32", "shape": [2], "data": {}}}}}}})",
                         cases.empty() ? "" : ", ", name, data);
  }
  const std::string text = R"({"fixtureArrays": {"a": [1, 2]}, "cases": [)" + cases + "]}";
  const auto file = parse_test_file(text, {.max_tensor_bytes = 16});
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->cases[1].error, "");
  EXPECT_EQ(file->cases[2].error, "test.json: /cases/2/inputs/x/data: the tensors of the file need more than 16 bytes");
  EXPECT_EQ(parse_test_file(text)->cases[2].error, "");
  EXPECT_EQ(parse_test_file(text, {.max_cases = 2})->cases.size(), 2u);
  EXPECT_EQ(case_error("float32", "[67108865]", R"({"kind": "fillFloat32", "sinStep": 0, "cosStep": 0})"),
            "test.json: /cases/0/inputs/x/data: the tensors of the file need more than 268435456 bytes");
}

TEST(Cases, MembersOfACase) {
  const auto file = parse_test_file(R"({"cases": [
    {"name": "full", "expectVariant": "v", "expectError": "why", "check": "none",
     "skipGpu": {"category": "todo", "reason": "slow"}, "provenance": {"notes": "n"},
     "outputs": {"y": {"dtype": "float32", "shape": [1], "tolerance": 0.5, "allowNaN": true,
                       "data": {"kind": "values", "values": [2]}}, "z": {"dtype": "int64", "shape": [2]}},
     "attrs": {"i": 1, "f": 1.5, "b": true, "s": "t", "l": [1, 2]}, "args": {"k": 3}},
    {"name": "plain"}]})");
  ASSERT_TRUE(file.ok());
  const TestCase& full = file->cases[0];
  EXPECT_EQ(full.variant, "v");
  EXPECT_EQ(full.expect_error, "why");
  EXPECT_FALSE(full.check_values);
  EXPECT_EQ(full.skip_gpu_reason, "slow");
  EXPECT_EQ(full.outputs[0].second.tolerance, 0.5);
  EXPECT_TRUE(full.outputs[0].second.allow_nan);
  EXPECT_EQ(full.outputs[0].second.data->as<float>()[0], 2.0f);
  EXPECT_FALSE(full.outputs[1].second.data.has_value());
  EXPECT_EQ(full.attrs.at("i"), AttributeValue(1));
  EXPECT_EQ(full.attrs.at("f"), AttributeValue(1.5));
  EXPECT_EQ(full.attrs.at("b"), AttributeValue(true));
  EXPECT_EQ(full.attrs.at("l"), AttributeValue(AttributeValue::List{1, 2}));
  EXPECT_EQ(full.args.at("k"), AttributeValue(3));
  const TestCase& plain = file->cases[1];
  EXPECT_TRUE(plain.check_values && plain.skip_gpu_reason.empty() && plain.variant.empty() &&
              plain.expect_error.empty());
}

TEST(Cases, KeysThatMeanNothingAreWarnings) {
  const auto file = parse_test_file(R"({"cases": [
    {"name": "a", "expectErorr": "why", "$comment": "none",
     "inputs": {"x": {"dtype": "float32", "shape": [], "data": {"kind": "values", "values": [2]}, "tolerance": 1}},
     "outputs": {"y": {"dtype": "float32", "shape": [], "tolerence": 1}}}]})");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->cases[0].error, "");
  EXPECT_EQ(file->warnings,
            (std::vector<std::string>{
                "test.json: /cases/0: unknown key \"expectErorr\" is ignored; did you mean \"expectError\"?",
                "test.json: /cases/0/inputs/x: unknown key \"tolerance\" is ignored",
                "test.json: /cases/0/outputs/y: unknown key \"tolerence\" is ignored; did you mean \"tolerance\"?"}));
}

TEST(Cases, WhatIsNotWantedIsNotMade) {
  // A tensor of one case alone would exhaust what a file may take.
  const std::string text = R"({"cases": [
    {"name": "large", "inputs": {"x": {"dtype": "float32", "shape": [90000000],
                                       "data": {"kind": "fillFloat32", "sinStep": 1, "cosStep": 1}}}},
    {"name": "small", "inputs": {"x": {"dtype": "float32", "shape": [1],
                                       "data": {"kind": "fillFloat32", "sinStep": 1, "cosStep": 1}}}}]})";
  TestFileLimits limits;
  limits.wanted = [](std::string_view name) { return name == "small"; };
  const auto file = parse_test_file(text, limits);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->cases.size(), 1u);
  EXPECT_EQ(file->cases[0].name, "small");
  EXPECT_EQ(file->cases[0].error, "");
}

TEST(Cases, BadFiles) {
  const std::pair<const char*, const char*> rows[] = {
      {"[]", "test.json: /cases: must be a list"},
      {R"({"cases": {}})", "test.json: /cases: must be a list"},
      {R"({"cases": [3]})", "test.json: /cases/0: must be an object"},
      {R"({"cases": [{}]})", "test.json: /cases/0: must have a unique name"},
      {R"({"cases": [{"name": "a"}, {"name": "a"}]})", "test.json: /cases/1: must have a unique name"},
      {R"({"cases": [], "fixtureArrays": {"a": 1}})", "test.json: /fixtureArrays/a: must be a list"},
  };
  for (const auto& [text, error] : rows) {
    const auto file = parse_test_file(text);
    ASSERT_FALSE(file.ok()) << text;
    EXPECT_EQ(file.error().message, error);
  }
  const auto large = parse_test_file(std::string((64u << 20) + 1, ' '));
  EXPECT_EQ(large.error().message, "test.json is 67108865 bytes; the limit is 67108864");
  const std::pair<const char*, const char*> cases[] = {
      {R"("check": "some")", "test.json: /cases/0: check must be \"full\" or \"none\""},
      {R"("expectVariant": 1)", "test.json: /cases/0/expectVariant: must be a string"},
      {R"("inputs": [])", "test.json: /cases/0/inputs: must be an object"},
      {R"("inputs": {"x": {"dtype": "bool", "shape": []}})", "test.json: /cases/0/inputs/x: must have data"},
      {R"("outputs": {"y": {"dtype": "bool", "shape": [], "tolerance": -1}})",
       "test.json: /cases/0/outputs/y: tolerance must be >= 0"},
      {R"("attrs": {"a": {}})", "test.json: /cases/0/attrs/a: must be a number, bool, string or list"},
  };
  for (const auto& [members, error] : cases) {
    const auto file = parse_test_file(fmt::format(R"({{"cases": [{{"name": "a", {}}}, {{"name": "b"}}]}})", members));
    ASSERT_TRUE(file.ok()) << members;
    EXPECT_EQ(file->cases[0].error, error);
    EXPECT_EQ(file->cases[1].error, "");
  }
}

}  // namespace
}  // namespace wgk::package
