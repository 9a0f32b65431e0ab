// Every rule of RotaryEmbedding and MRotaryEmbedding: a call that breaks just that rule, and the exact complaint.
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "ops/call_builder.h"

namespace wgk::ops::testing {
namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

struct Case {
  const char* name;
  std::function<void(OwnedCall&)> change;
  const char* complaint;  ///< empty: accepted
};

void expect_complaints(std::string_view id, const OwnedCall& valid, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    OwnedCall call = valid;
    c.change(call);
    EXPECT_EQ(complaint(id, call), c.complaint) << c.name;
  }
}

auto set(std::string key, HostTensor tensor) {
  return [=](OwnedCall& call) { call.tensors.insert_or_assign(key, tensor); };
}
auto drop(std::string key) {
  return [=](OwnedCall& call) { call.tensors.erase(key); };
}
auto attribute(std::string name, AttributeValue value) {
  return [=](OwnedCall& call) { call.options.attributes.insert_or_assign(name, value); };
}
auto drop_attribute(std::string name) {
  return [=](OwnedCall& call) { call.options.attributes.erase(name); };
}
template <typename... Changes>
std::function<void(OwnedCall&)> all(Changes... changes) {
  return [=](OwnedCall& call) { (changes(call), ...); };
}
auto caches(DType dtype, Shape shape) { return all(set("cos", zeros(dtype, shape)), set("sin", zeros(dtype, shape))); }
auto caches(Shape shape) { return caches(DType::kFloat32, std::move(shape)); }
auto x(Shape shape) { return set("x", zeros(DType::kFloat32, std::move(shape))); }
auto pos(Shape shape) { return set("positionIds", zeros(DType::kInt64, std::move(shape))); }

TEST(RotaryContract, StandardCallIsAccepted) { EXPECT_EQ(complaint(kStandardId, standard_call()), ""); }
TEST(RotaryContract, MultimodalCallIsAccepted) { EXPECT_EQ(complaint(kMultimodalId, multimodal_call()), ""); }

TEST(RotaryContract, StandardRules) {
  const HostTensor ints = zeros(DType::kInt32, {1, 3, 8});
  const auto halves = set("x", zeros(DType::kFloat16, {1, 3, 8}));
  expect_complaints(
      kStandardId, standard_call(),
      {
          {"1 x", drop("x"), "x: required input is missing"},
          {"1 cos", drop("cos"), "cos: required input is missing"},
          {"1 sin", drop("sin"), "sin: required input is missing"},
          {"2 input", set("bias", ints), "bias: is not an input of RotaryEmbedding"},
          {"2 attribute", attribute("scale", 1.0), "scale: is not an attribute of RotaryEmbedding"},
          {"2 output", [](OwnedCall& c) { c.options.outputs["z"] = {}; }, "z: is not an output of RotaryEmbedding"},
          {"negative dimension", set("x", shape_only(DType::kFloat32, {1, -3, 8})),
           "x: dimension 1 is -3, must be >= 0"},
          {"3", set("x", ints), "x: dtype int32 must be float32 or float16"},
          {"4 cos", halves, "cos: dtype float32 must be float16 as x"},
          {"4 sin", all(halves, set("cos", zeros(DType::kFloat16, {8, 2}))), "sin: dtype float32 must be float16 as x"},
          {"5", set("positionIds", zeros(DType::kInt32, {1, 3})),
           "positionIds: dtype int32 must be int64 (or its uint32 storage)"},
          {"5 storage form", set("positionIds", zeros(DType::kUint32, {1, 3})), ""},
          {"7 range", attribute("interleaved", 2), "interleaved: 2 must be 0 or 1"},
          {"7 fraction", attribute("interleaved", 0.5), "interleaved: 0.5 must be an integer"},
          {"7 boolean", attribute("interleaved", true), "interleaved: true must be an integer"},
          {"7 text", attribute("num_heads", "2"), "num_heads: \"2\" must be an integer"},
          {"7 list", attribute("rotary_embedding_dim", sections(1, 2, 3)),
           "rotary_embedding_dim: [1,2,3] must be an integer"},
          {"7 infinite", attribute("num_heads", std::numeric_limits<double>::infinity()),
           "num_heads: inf must be an integer"},
          {"7 integral double", attribute("interleaved", 1.0), ""},
          {"11 negative", attribute("rotary_embedding_dim", -2),
           "rotary_embedding_dim: -2 must be 0 or a positive even number"},
          {"11 odd", attribute("rotary_embedding_dim", 3),
           "rotary_embedding_dim: 3 must be 0 or a positive even number"},
          {"13 low", x({3, 8}), "x: rank 2 must be 3 or 4"},
          {"13 high", x({1, 1, 2, 3, 4}), "x: rank 5 must be 3 or 4"},
          {"14 missing", drop_attribute("num_heads"), "num_heads: missing, must be >= 1 for rank-3 x"},
          {"14 zero", attribute("num_heads", 0), "num_heads: 0 must be >= 1 for rank-3 x"},
          {"14 negative", attribute("num_heads", -1), "num_heads: -1 must be >= 1 for rank-3 x"},
          {"16", all(x({1, 3, 30}), attribute("num_heads", 4)),
           "x: hidden size 30 must be a multiple of num_heads = 4"},
          {"17", x({1, 3, 10}), "x: head size 5 must be even"},
          {"17 with a rotary dimension", all(x({1, 3, 10}), attribute("rotary_embedding_dim", 4)),
           "x: head size 5 must be even"},
          {"19", all(x({1, 3, 128}), attribute("rotary_embedding_dim", 128)),
           "rotary_embedding_dim: 128 must be <= head size = 64"},
          {"22 without positions", drop("positionIds"), "cos: rank 2 must be 3 without positionIds"},
          {"22 with positions", caches({1, 3, 2}), "cos: rank 3 must be 2 with positionIds"},
          {"23", caches({8, 4}), "cos: width 4 must be rotary_dim / 2 = 2"},
          {"23 width of the whole hidden size", all(x({1, 3, 16}), caches({8, 2})),
           "cos: width 2 must be rotary_dim / 2 = 4"},
          {"24", set("sin", zeros(DType::kFloat32, {8, 3})), "sin: shape [8,3] must be cos shape = [8,2]"},
          {"25 batch", all(drop("positionIds"), caches({2, 3, 2})), "cos: dimension 0 is 2, must be batch = 1"},
          {"25 sequence", all(drop("positionIds"), caches({1, 4, 2})),
           "cos: dimension 1 is 4, must be sequence length = 3"},
          {"26 rank", pos({3}), "positionIds: rank 1 must be 2"},
          {"26 shape", all(x({2, 3, 8}), pos({1, 3})), "positionIds: shape [1,3] must be [2,3]"},
          {"27 sequence longer than the cache", caches({1, 2}),
           "positionIds: value 1 at index 1 must be in [0, 1), the cos rows"},
          {"27 repeated positions", all(caches({1, 2}), pos({1, 3})), ""},
          {"28", caches({0, 2}), "cos: 0 rows must be >= 1"},
          {"29 shape",
           [](OwnedCall& c) {
             c.options.outputs["y"] = {DType::kFloat32, {1, 2, 8}};
           },
           "y: shape [1,2,8] must be x shape = [1,3,8]"},
          {"29 dtype",
           [](OwnedCall& c) {
             c.options.outputs["y"] = {DType::kFloat16, {1, 3, 8}};
           },
           "y: dtype float16 must be float32 as x"},
          {"29 right",
           [](OwnedCall& c) {
             c.options.outputs["y"] = {DType::kFloat32, {1, 3, 8}};
           },
           ""},
          {"30 short data", [](OwnedCall& c) { c.tensors.at("x").data.pop_back(); },
           "x: data of 95 bytes must be 96 for float32 [1,3,8]"},
          {"31 above", set("positionIds", positions({1, 3}, {2048, -1, 0})),
           "positionIds: value 2048 at index 0 must be in [0, 8), the cos rows"},
          {"31 negative", set("positionIds", positions({1, 3}, {0, -1, 99})),
           "positionIds: value -1 at index 1 must be in [0, 8), the cos rows"},
          {"31 the first past the end", set("positionIds", positions({1, 3}, {7, 7, 8})),
           "positionIds: value 8 at index 2 must be in [0, 8), the cos rows"},
          {"31 2^32", set("positionIds", positions({1, 3}, {4294967296, 0, 0})),
           "positionIds: value 4294967296 at index 0 must be in [0, 8), the cos rows"},
          {"31 2^32 + 1", set("positionIds", positions({1, 3}, {4294967297, 0, 0})),
           "positionIds: value 4294967297 at index 0 must be in [0, 8), the cos rows"},
          {"31 2^63 - 1", set("positionIds", positions({1, 3}, {kMaxInt64, 0, 0})),
           "positionIds: value 9223372036854775807 at index 0 must be in [0, 8), the cos rows"},
          {"31 uint32",
           set("positionIds", HostTensor::from(Shape{1, 3}, std::vector<std::uint32_t>{0, 4294967294u, 0})),
           "positionIds: value 4294967294 at index 1 must be in [0, 8), the cos rows"},
      });
}

TEST(RotaryContract, StandardAcceptsWhatLooksWrongAndIsNot) {
  const auto rank4 = all(x({2, 4, 3, 8}), pos({2, 3}), caches({50, 4}), drop_attribute("num_heads"));
  expect_complaints(kStandardId, standard_call(),
                    {
                        {"cache taller than the sequence", caches({1000, 2}), ""},
                        {"explicit full rotation", attribute("rotary_embedding_dim", 4), ""},
                        {"rank 4 needs no num_heads", rank4, ""},
                        {"rank 4 with a rotary dimension needs none either",
                         all(rank4, attribute("rotary_embedding_dim", 4), caches({50, 2})), ""},
                        {"rank 4 ignores num_heads", all(rank4, attribute("num_heads", -7)), ""},
                        {"one row per token", all(drop("positionIds"), caches({1, 3, 2})), ""},
                        {"null means absent",
                         [](OwnedCall& c) {
                           c.tensors.erase("positionIds");
                           c.options.inputs["positionIds"] = nullptr;
                           c.tensors.at("cos") = zeros(DType::kFloat32, {1, 3, 2});
                           c.tensors.at("sin") = zeros(DType::kFloat32, {1, 3, 2});
                         },
                         ""},
                        {"a rotary dimension of a third of a quarter head",
                         all(x({1, 3, 160}), attribute("rotary_embedding_dim", 32), caches({8, 16})), ""},
                        {"values are not looked at when unchecked",
                         all(set("positionIds", positions({1, 3}, {99, -1, 0})),
                             [](OwnedCall& c) { c.options.check_values = false; }),
                         ""},
                        {"device data has no bytes",
                         [](OwnedCall& c) {
                           for (auto& [key, tensor] : c.tensors) tensor.data.clear();
                           c.options.host_data = false;
                         },
                         ""},
                    });
}

TEST(RotaryContract, StandardEmptyTensors) {
  const auto rank4 = [](Shape shape, Shape position_shape, Shape cache) {
    return all(x(std::move(shape)), pos(std::move(position_shape)), caches(std::move(cache)));
  };
  expect_complaints(
      kStandardId, standard_call(),
      {
          {"batch", rank4({0, 4, 3, 8}, {0, 3}, {4, 4}), ""},
          {"heads", rank4({2, 0, 3, 8}, {2, 3}, {4, 4}), ""},
          {"sequence", rank4({2, 4, 0, 8}, {2, 0}, {4, 4}), ""},
          {"head size", rank4({2, 4, 3, 0}, {2, 3}, {4, 0}), ""},
          {"rank 3 batch", all(x({0, 3, 8}), pos({0, 3})), ""},
          {"rank 3 hidden size", all(x({1, 3, 0}), caches({8, 0})), ""},
          {"no rows", rank4({0, 4, 3, 8}, {0, 3}, {0, 4}), ""},
          {"rules still hold", rank4({0, 4, 3, 8}, {0, 3}, {4, 3}), "cos: width 3 must be rotary_dim / 2 = 4"},
          {"head size stays even", rank4({0, 4, 3, 7}, {0, 3}, {4, 3}), "x: head size 7 must be even"},
          {"positions past the cache are not read",
           all(rank4({1, 0, 1, 8}, {1, 1}, {4, 4}), set("positionIds", positions({1, 1}, {4294967295}))), ""},
          {"positions must still narrow",
           all(rank4({1, 0, 1, 8}, {1, 1}, {4, 4}), set("positionIds", positions({1, 1}, {4294967296}))),
           "positionIds: value 4294967296 at index 0 must be in [0, 4294967296)"},
          {"negative positions do not narrow",
           all(rank4({1, 0, 1, 8}, {1, 1}, {4, 4}), set("positionIds", positions({1, 1}, {-1}))),
           "positionIds: value -1 at index 0 must be in [0, 4294967296)"},
      });
}

TEST(RotaryContract, MultimodalRules) {
  const auto section = [](std::int64_t t, std::int64_t h, std::int64_t w) {
    return attribute("mrope_section", sections(t, h, w));
  };
  const auto dim2 = all(x({2, 3, 4}), caches({8, 1}));
  const auto rank4 = all(x({2, 2, 3, 6}), drop_attribute("num_heads"));
  expect_complaints(
      kMultimodalId, multimodal_call(),
      {
          {"1 positions", drop("positionIds"), "positionIds: required input is missing"},
          {"1 sections", drop_attribute("mrope_section"), "mrope_section: required attribute is missing"},
          {"2", attribute("axis", 1), "axis: is not an attribute of MRotaryEmbedding"},
          {"3", set("x", zeros(DType::kInt32, {2, 3, 12})), "x: dtype int32 must be float32 or float16"},
          {"4", set("sin", zeros(DType::kFloat16, {8, 3})), "sin: dtype float16 must be float32 as x"},
          {"5", set("positionIds", zeros(DType::kInt32, {3, 2, 3})),
           "positionIds: dtype int32 must be int64 (or its uint32 storage)"},
          {"7", attribute("interleaved", -1), "interleaved: -1 must be 0 or 1"},
          {"7 layout", attribute("mrope_layout", 0.25), "mrope_layout: 0.25 must be an integer"},
          {"8", attribute("mrope_layout", 2), "mrope_layout: 2 must be 0 or 1"},
          {"9", attribute("is_packed_batching", 1),
           "is_packed_batching: 1 must be 0, packed batching is not implemented"},
          {"9 other", attribute("is_packed_batching", 2), "is_packed_batching: 2 must be 0"},
          {"10 infinity", attribute("scale", std::numeric_limits<double>::infinity()), "scale: inf must be finite"},
          {"10 minus infinity", attribute("scale", -std::numeric_limits<double>::infinity()),
           "scale: -inf must be finite"},
          {"10 nan", attribute("scale", std::numeric_limits<double>::quiet_NaN()), "scale: nan must be finite"},
          {"10 overflow", attribute("scale", 1e39), "scale: 1e+39 must be finite as float32"},
          {"10 largest", attribute("scale", 3.4028235e38), ""},
          {"10 text", attribute("scale", "1"), "scale: \"1\" must be a number"},
          {"10 integer", attribute("scale", 2), ""},
          {"11", attribute("rotary_embedding_dim", -1), "rotary_embedding_dim: -1 must be 0 or a positive even number"},
          {"12", attribute("num_heads", -1), "num_heads: -1 must be >= 0"},
          {"12 rank 4", all(rank4, attribute("num_heads", -1)), "num_heads: -1 must be >= 0"},
          {"13", x({12}), "x: rank 1 must be 3 or 4"},
          {"14 zero", attribute("num_heads", 0), "num_heads: 0 must be >= 1 for rank-3 x"},
          {"14 missing", drop_attribute("num_heads"), "num_heads: missing, must be >= 1 for rank-3 x"},
          {"15 zero", all(rank4, attribute("num_heads", 0), attribute("rotary_embedding_dim", 4)),
           "num_heads: 0 must be >= 1 when rotary_embedding_dim is 4"},
          {"15 missing", all(rank4, attribute("rotary_embedding_dim", 4)),
           "num_heads: missing, must be >= 1 when rotary_embedding_dim is 4"},
          {"15 without a rotary dimension", rank4, ""},
          {"15 a number that is not N", all(rank4, attribute("num_heads", 7), attribute("rotary_embedding_dim", 6)),
           ""},
          {"16", attribute("num_heads", 5), "x: hidden size 12 must be a multiple of num_heads = 5"},
          {"18", x({2, 3, 14}), "x: head size 7 must be even, or rotary_embedding_dim set to an even number <= 6"},
          {"18 one", x({2, 3, 2}), "x: head size 1 must be even"},
          {"18 odd head with a rotary dimension", all(x({2, 3, 14}), attribute("rotary_embedding_dim", 6)), ""},
          {"19", attribute("rotary_embedding_dim", 8), "rotary_embedding_dim: 8 must be <= head size = 6"},
          {"20 count", attribute("mrope_section", AttributeValue::List{AttributeValue(1), AttributeValue(2)}),
           "mrope_section: 2 values must be 3"},
          {"20 negative", section(4, -1, 0), "mrope_section: value -1 at index 1 must be >= 0"},
          {"20 not a list", attribute("mrope_section", 3), "mrope_section: 3 must be a list of 3 integers"},
          {"20 fraction",
           attribute("mrope_section", AttributeValue::List{AttributeValue(1), AttributeValue(1), AttributeValue(1.5)}),
           "mrope_section: value 1.5 at index 2 must be an integer"},
          {"21", section(2, 1, 1), "mrope_section: sum 4 must be rotary_dim / 2 = 3"},
          {"21 short", section(1, 1, 0), "mrope_section: sum 2 must be rotary_dim / 2 = 3"},
          {"21 wraps in 32 bits", all(dim2, section(2147483647, 2147483647, 3)),
           "mrope_section: sum 4294967297 must be rotary_dim / 2 = 1"},
          {"21 wraps in 64 bits", all(dim2, section(kMaxInt64, kMaxInt64, 3)),
           "mrope_section: sum over 18446744073709551615 must be rotary_dim / 2 = 1"},
          {"22", caches({1, 8, 3}), "cos: rank 3 must be 2 with positionIds"},
          {"23", caches({8, 2}), "cos: width 2 must be rotary_dim / 2 = 3"},
          {"24", set("sin", zeros(DType::kFloat32, {7, 3})), "sin: shape [7,3] must be cos shape = [8,3]"},
          {"26 rank", pos({2, 3}), "positionIds: rank 2 must be 3"},
          {"26 shape", pos({3, 1, 3}), "positionIds: shape [3,1,3] must be [3,2,3]"},
          {"26 two streams", pos({2, 2, 3}), "positionIds: shape [2,2,3] must be [3,2,3]"},
          {"28", caches({0, 3}), "cos: 0 rows must be >= 1"},
      });
}

TEST(RotaryContract, MultimodalRankOfPositionsComesBeforeTheirShape) {
  OwnedCall call = multimodal_call();
  call.tensors.at("positionIds") = zeros(DType::kInt64, {2, 3});
  EXPECT_EQ(complaint(kMultimodalId, call), "positionIds: rank 2 must be 3");
}

TEST(RotaryContract, MultimodalBadPositionNamesItsPlace) {
  OwnedCall call = multimodal_call();
  std::vector<std::int64_t> ids(18, 0);
  ids[16] = 9;  // width stream, batch 1, token 1
  call.tensors.at("positionIds") = positions({3, 2, 3}, ids);
  EXPECT_EQ(complaint(kMultimodalId, call),
            "positionIds: value 9 at index 16 (stream 2 width, batch 1, token 1) must be in [0, 8), the cos rows");
  ids[5] = -1;
  call.tensors.at("positionIds") = positions({3, 2, 3}, ids);
  EXPECT_EQ(complaint(kMultimodalId, call),
            "positionIds: value -1 at index 5 (stream 0 temporal, batch 1, token 2) must be in [0, 8), the cos rows");

  call.tensors = {{"x", zeros(DType::kFloat32, {1, 1, 6})},
                  {"positionIds", positions({3, 1, 1}, {0, 4294967296, 0})},
                  {"cos", zeros(DType::kFloat32, {2, 3})},
                  {"sin", zeros(DType::kFloat32, {2, 3})}};
  call.options.attributes.insert_or_assign("num_heads", 1);
  EXPECT_EQ(
      complaint(kMultimodalId, call),
      "positionIds: value 4294967296 at index 1 (stream 1 height, batch 0, token 0) must be in [0, 2), the cos rows");
}

TEST(RotaryContract, MultimodalEmptyTensors) {
  const auto section0 = attribute("mrope_section", sections(0, 0, 0));
  expect_complaints(kMultimodalId, multimodal_call(),
                    {
                        {"batch", all(x({0, 3, 12}), pos({3, 0, 3})), ""},
                        {"sequence", all(x({2, 0, 12}), pos({3, 2, 0})), ""},
                        {"heads", all(x({2, 0, 3, 6}), pos({3, 2, 3})), ""},
                        {"head size, rank 3", all(x({2, 3, 0}), caches({8, 0}), section0), ""},
                        {"head size, rank 4", all(x({2, 2, 3, 0}), caches({8, 0}), section0), ""},
                        {"head size needs empty sections", all(x({2, 3, 0}), caches({8, 0})),
                         "mrope_section: sum 3 must be rotary_dim / 2 = 0"},
                        {"head size with a rotary dimension", all(x({2, 3, 0}), attribute("rotary_embedding_dim", 6)),
                         "rotary_embedding_dim: 6 must be <= head size = 0"},
                        {"odd head stays refused", all(x({0, 3, 14}), pos({3, 0, 3})),
                         "x: head size 7 must be even, or rotary_embedding_dim set to an even number <= 6"},
                    });
}

TEST(RotaryContract, PackedBatchingIsAnExtension) {
  OwnedCall call = multimodal_call();
  call.options.attributes.insert_or_assign("is_packed_batching", 1);
  call.options.extensions.packed_batching = true;
  EXPECT_EQ(complaint(kMultimodalId, call), "");
  call.options.attributes.insert_or_assign("is_packed_batching", 2);
  EXPECT_EQ(complaint(kMultimodalId, call), "is_packed_batching: 2 must be 0 or 1");
}

TEST(RotaryContract, TheFirstBrokenRuleIsReported) {
  OwnedCall call = multimodal_call();
  // Breaks rules 30, 26, 23, 21, 19, 12, 10, 9, 8, 7, 5, 4 and 3, and is repaired from the front.
  call.tensors = {{"x", shape_only(DType::kInt8, {2, 3, 12})},
                  {"positionIds", zeros(DType::kInt32, {3, 1, 3})},
                  {"cos", zeros(DType::kInt8, {8, 4})},
                  {"sin", zeros(DType::kFloat32, {8, 4})}};
  call.options.attributes = {{"interleaved", 5},
                             {"mrope_layout", 5},
                             {"is_packed_batching", 1},
                             {"num_heads", -2},
                             {"rotary_embedding_dim", 7},
                             {"mrope_section", sections(1, 1, 2)},
                             {"scale", std::numeric_limits<double>::infinity()}};
  const std::vector<std::pair<const char*, std::function<void(OwnedCall&)>>> steps = {
      {"x: dtype int8 must be float32 or float16", set("x", shape_only(DType::kFloat32, {2, 3, 12}))},
      {"cos: dtype int8 must be float32 as x", set("cos", zeros(DType::kFloat32, {8, 4}))},
      {"positionIds: dtype int32 must be int64 (or its uint32 storage)", pos({3, 1, 3})},
      {"interleaved: 5 must be 0 or 1", attribute("interleaved", 0)},
      {"mrope_layout: 5 must be 0 or 1", attribute("mrope_layout", 0)},
      {"is_packed_batching: 1 must be 0, packed batching is not implemented", attribute("is_packed_batching", 0)},
      {"scale: inf must be finite", attribute("scale", 1.0)},
      {"rotary_embedding_dim: 7 must be 0 or a positive even number", attribute("rotary_embedding_dim", 8)},
      {"num_heads: -2 must be >= 0", attribute("num_heads", 2)},
      {"rotary_embedding_dim: 8 must be <= head size = 6", attribute("rotary_embedding_dim", 0)},
      {"mrope_section: sum 4 must be rotary_dim / 2 = 3", attribute("mrope_section", sections(1, 1, 1))},
      {"cos: width 4 must be rotary_dim / 2 = 3", caches({8, 3})},
      {"positionIds: shape [3,1,3] must be [3,2,3]", pos({3, 2, 3})},
      {"x: data of 0 bytes must be 288 for float32 [2,3,12]", x({2, 3, 12})},
      {"", [](OwnedCall&) {}},
  };
  for (const auto& [expected, repair] : steps) {
    EXPECT_EQ(complaint(kMultimodalId, call), expected);
    repair(call);
  }
}

TEST(RotaryContract, FeatureForFloat16) {
  OwnedCall call = standard_call();
  call.tensors.at("x") = zeros(DType::kFloat16, {1, 3, 8});
  call.tensors.at("cos") = zeros(DType::kFloat16, {8, 2});
  call.tensors.at("sin") = zeros(DType::kFloat16, {8, 2});
  DeviceProfile profile;
  EXPECT_EQ(complaint(kStandardId, call, &profile), "x: float16 needs the device feature shader-f16");
  EXPECT_EQ(complaint(kStandardId, call), "");
  call.options.extensions.float16_without_feature = true;
  EXPECT_EQ(complaint(kStandardId, call, &profile), "");
  call.options.extensions.float16_without_feature = false;
  profile.features = {"shader-f16"};
  EXPECT_EQ(complaint(kStandardId, call, &profile), "");
  EXPECT_EQ(complaint(kStandardId, standard_call(), &profile), "");
}

/// A call of device-resident tensors that is too large for host memory.
OwnedCall large_call(DType dtype, Shape shape) {
  OwnedCall call;
  const std::int64_t half = shape[3] / 2;
  call.tensors = {{"x", shape_only(dtype, shape)},
                  {"cos", shape_only(dtype, {16, half})},
                  {"sin", shape_only(dtype, {16, half})},
                  {"positionIds", shape_only(DType::kInt64, {shape[0], shape[2]})}};
  call.options.host_data = false;
  return call;
}

TEST(RotaryContract, SizesAndLimits) {
  DeviceProfile profile;
  profile.features = {"shader-f16"};
  profile.limits = {{"maxStorageBufferBindingSize", 134217728}, {"maxBufferSize", 268435456}};
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat16, {64, 32, 8192, 128}), &profile),
            "x: 4294967296 bytes must be <= maxStorageBufferBindingSize = 134217728");
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat16, {64, 32, 8192, 256}), &profile),
            "x: 4294967296 elements must be < 4294967296");
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat32, {64, 32, 8192, 256})),
            "x: 4294967296 elements must be < 4294967296");
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat32, {4294967296, 4294967296, 2, 2})),
            "x: shape [4294967296,4294967296,2,2] must have < 4294967296 elements");
  profile.limits["maxStorageBufferBindingSize"] = 4294967296;
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat16, {64, 32, 8192, 128}), &profile),
            "x: 4294967296 bytes must be <= maxBufferSize = 268435456");
  profile.limits.clear();
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat16, {64, 32, 8192, 128}), &profile), "");

  // Positions are stored as uint32: 100 of them take 400 bytes, not 800.
  profile.limits = {{"maxStorageBufferBindingSize", 1600}};
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat32, {1, 1, 100, 4}), &profile), "");
  profile.limits = {{"maxStorageBufferBindingSize", 1599}};
  EXPECT_EQ(complaint(kStandardId, large_call(DType::kFloat32, {1, 1, 100, 4}), &profile),
            "x: 1600 bytes must be <= maxStorageBufferBindingSize = 1599");
  // A cache can be what does not fit; an empty call binds nothing.
  OwnedCall call = standard_call();
  call.tensors.at("cos") = zeros(DType::kFloat32, {100, 2});
  call.tensors.at("sin") = zeros(DType::kFloat32, {100, 2});
  profile.limits = {{"maxBufferSize", 96}};
  EXPECT_EQ(complaint(kStandardId, call, &profile), "cos: 800 bytes must be <= maxBufferSize = 96");
  call.tensors.at("x") = zeros(DType::kFloat32, {1, 0, 8});
  call.tensors.at("positionIds") = zeros(DType::kInt64, {1, 0});
  EXPECT_EQ(complaint(kStandardId, call, &profile), "");
}

TEST(RotaryContract, OutputMustNotOverlapAnInput) {
  const int buffer = 0;
  const int other = 0;
  struct RangeCase {
    ByteRange y, x;
    const char* complaint;
  };
  for (const RangeCase& c : {
           RangeCase{{&buffer, 0, 512}, {&buffer, 0, 512}, "y: overlaps x at bytes [0, 512)"},
           RangeCase{{&buffer, 256, 512}, {&buffer, 0, 512}, "y: overlaps x at bytes [256, 512)"},
           RangeCase{{&buffer, 512, 512}, {&buffer, 0, 512}, ""},
           RangeCase{{&other, 0, 512}, {&buffer, 0, 512}, ""},
           RangeCase{{&buffer, 1, std::numeric_limits<std::uint64_t>::max()},
                     {&buffer, 8, 8},
                     "y: overlaps x at bytes [8, 16)"},
       }) {
    OwnedCall call = standard_call();
    call.options.ranges = {{"y", c.y}, {"x", c.x}};
    EXPECT_EQ(complaint(kStandardId, call), c.complaint);
  }
}

TEST(RotaryContract, ReferenceRefusesACallThatBreaksTheContract) {
  OwnedCall call = standard_call();
  call.tensors.at("x").data.resize(4);
  call.options.host_data = false;  // the reference reads the bytes, whatever the caller says
  const auto outputs = op(kStandardId).reference(call.view());
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().message, "ai.onnx.RotaryEmbedding: x: data of 4 bytes must be 96 for float32 [1,3,8]");
}

TEST(Operators, OnlyTheThreeAreKnown) {
  for (const auto id : {kStandardId, kMultimodalId, kGemmaId}) EXPECT_EQ(op(id).id, id);
  EXPECT_EQ(find_operator("ai.onnx.Add"), nullptr);
  EXPECT_EQ(find_operator(""), nullptr);
  EXPECT_EQ(find_operator("RotaryEmbedding"), nullptr);
}

}  // namespace
}  // namespace wgk::ops::testing
