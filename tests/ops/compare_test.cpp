// The comparison rule: what it lets pass, what it rejects, and how it says so.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ops/call_builder.h"

namespace wgk::ops::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One token, one head of four of which the first two rotate.
OwnedCall float_call(float x0, float x1, float c, float s) {
  OwnedCall call;
  call.options.attributes = {{"rotary_embedding_dim", 2}};
  call.tensors = {{"x", floats({1, 1, 1, 4}, {x0, x1, 0.0f, kNan})},
                  {"cos", floats({1, 1, 1}, {c})},
                  {"sin", floats({1, 1, 1}, {s})}};
  return call;
}

std::vector<std::string> compare(std::string_view id, const OwnedCall& call, const OpOutputs& got) {
  const OpOutputs want = op(id).reference(call.view()).value();
  std::vector<std::string> messages;
  for (const Mismatch& mismatch : op(id).compare(call.view(), want, got)) messages.push_back(mismatch.message);
  return messages;
}

/// Compares after replacing element `index` of a float32 result.
bool accepts(const OwnedCall& call, std::size_t index, float value, std::string_view id = kStandardId) {
  OpOutputs got = op(id).reference(call.view()).value();
  std::memcpy(got[0].second.data.data() + 4 * index, &value, 4);
  return compare(id, call, got).empty();
}

TEST(Compare, Float32BoundFollowsTheLargerProduct) {
  // y0 = 1*1 - 0.75*0.5 = 0.625, the larger product is 1: the bound is 2 * 2^-23.
  const OwnedCall call = float_call(1, 0.75f, 1, 0.5f);
  EXPECT_TRUE(accepts(call, 0, 0.625f + 0x1p-22f));
  EXPECT_TRUE(accepts(call, 0, 0.625f - 0x1p-22f));
  EXPECT_FALSE(accepts(call, 0, 0.625f + 0x1p-22f + 0x1p-24f));
  EXPECT_FALSE(accepts(call, 0, 0.625f - 0x1p-22f - 0x1p-24f));
  EXPECT_FALSE(accepts(call, 0, kNan));
  EXPECT_FALSE(accepts(call, 0, kInf));
  EXPECT_FALSE(accepts(call, 0, -0.625f));
}

TEST(Compare, CancellationIsBoundedByTheProducts) {
  const OwnedCall call = float_call(1, 1, 1, 1);  // y0 = 1 - 1
  EXPECT_TRUE(accepts(call, 0, 0x1p-22f));
  EXPECT_FALSE(accepts(call, 0, 0x1.8p-22f));
}

TEST(Compare, SubnormalsMayBeFlushed) {
  EXPECT_TRUE(accepts(float_call(0x1p-70f, 0, 0x1p-70f, 0), 0, 0.0f));
  EXPECT_TRUE(accepts(float_call(0x1p-130f, 0, 0x1p20f, 0), 0, 0.0f));   // an operand that is subnormal
  EXPECT_FALSE(accepts(float_call(0x1p-120f, 0, 0x1p20f, 0), 0, 0.0f));  // an operand that is not
}

TEST(Compare, ScaledCallsHaveTwiceTheRoom) {
  for (const double scale : {1.0, 2.0}) {
    OwnedCall call;
    call.options.attributes = {{"num_heads", 1}, {"mrope_section", sections(1, 0, 0)}, {"scale", scale}};
    const auto factor = static_cast<float>(1 / scale);
    call.tensors = {{"x", floats({1, 1, 2}, {1, 0})},
                    {"positionIds", positions({3, 1, 1}, {0, 0, 0})},
                    {"cos", floats({1, 1}, {factor})},
                    {"sin", floats({1, 1}, {0})}};
    EXPECT_TRUE(accepts(call, 0, 1 + 0x1p-22f, kMultimodalId));
    EXPECT_EQ(accepts(call, 0, 1 + 0x1p-21f, kMultimodalId), scale != 1.0);
    EXPECT_FALSE(accepts(call, 0, 1 + 0x1.8p-21f, kMultimodalId));
  }
}

TEST(Compare, NonFiniteValuesMustBeOfTheSameClass) {
  EXPECT_TRUE(accepts(float_call(kNan, 1, 1, 0), 0, -kNan));
  EXPECT_FALSE(accepts(float_call(kNan, 1, 1, 0), 0, 1.0f));
  EXPECT_FALSE(accepts(float_call(kInf, 1, .5f, .5f), 0, -kInf));
  EXPECT_FALSE(accepts(float_call(kInf, 1, .5f, .5f), 0, 3.4e38f));
  // A product beyond float32 may become infinity or NaN although the exact sum is finite.
  EXPECT_TRUE(accepts(float_call(3e38f, 3e38f, 2, 2), 0, kNan));
  EXPECT_TRUE(accepts(float_call(3e38f, 3e38f, 2, 2), 0, 0.0f));
}

TEST(Compare, AProductThatOverflowsBesideAnInfinityMayEndAsNan) {
  // y0 = inf - 2^127 * 2^127, in float32 inf - inf; y1 = inf * 2^127 + 2^127 is +inf whatever happens.
  const OwnedCall call = float_call(kInf, 0x1p127f, 1, 0x1p127f);
  EXPECT_TRUE(accepts(call, 0, kInf));
  EXPECT_TRUE(accepts(call, 0, kNan));
  EXPECT_FALSE(accepts(call, 0, -kInf));
  EXPECT_FALSE(accepts(call, 0, 1.0f));
  EXPECT_FALSE(accepts(call, 1, kNan));
}

TEST(Compare, CopiesMustAgreeInEveryBit) {
  const OwnedCall call = float_call(1, 0, 1, 0);
  EXPECT_FALSE(accepts(call, 2, -0.0f));
  EXPECT_FALSE(accepts(call, 3, -kNan));
  OwnedCall bad = standard_call();
  bad.tensors.at("positionIds") = positions({1, 3}, {0, 99, 0});
  bad.options.check_values = false;
  EXPECT_TRUE(accepts(bad, 0, -0.0f));   // rotated: the sign of zero is free
  EXPECT_FALSE(accepts(bad, 8, -0.0f));  // passed through: it is not
}

TEST(Compare, Float16BitsWithAnyNanAndAnyZero) {
  OwnedCall call;
  call.tensors = {{"x", half_bits({1, 1, 1, 4}, {0x3c00, 0x7e00, 0x0000, 0x0000})},
                  {"cos", half_bits({1, 1, 2}, {0x3c00, 0x0000})},
                  {"sin", half_bits({1, 1, 2}, {0x0000, 0x0000})}};
  call.options.attributes = {{"interleaved", 1}};
  call.tensors.at("x") = half_bits({1, 1, 1, 4}, {0x7e00, 0x3c00, 0x3c00, 0x3c00});
  const auto accepts16 = [&](std::size_t index, std::uint16_t bits) {
    OpOutputs got = op(kStandardId).reference(call.view()).value();
    std::memcpy(got[0].second.data.data() + 2 * index, &bits, 2);
    return compare(kStandardId, call, got).empty();
  };
  EXPECT_TRUE(accepts16(0, 0xfdff));
  EXPECT_FALSE(accepts16(0, 0x7c00));
  EXPECT_TRUE(accepts16(2, 0x8000));
  EXPECT_FALSE(accepts16(2, 0x0001));
}

TEST(Compare, GemmaBitsIncludeTheSignOfZero) {
  const OwnedCall call = gemma_call();
  OpOutputs got = op(kGemmaId).reference(call.view()).value();
  EXPECT_TRUE(compare(kGemmaId, call, got).empty());
  const std::uint16_t minus_zero = 0x8000;
  std::memcpy(got[1].second.data.data() + 2 * 77, &minus_zero, 2);
  const auto messages = compare(kGemmaId, call, got);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "output2T[1,0,1,5]: got 0x8000 (-0), want 0x0000 (0)");
}

TEST(Compare, MessagesNamePlaceAndNumbersAndAreFew) {
  const OwnedCall call = float_call(1, 0.75f, 1, 0.5f);
  OpOutputs got = op(kStandardId).reference(call.view()).value();
  const float wrong[] = {2, 1.25f, -0.0f, kNan};
  std::memcpy(got[0].second.data.data(), wrong, sizeof wrong);
  const auto messages = compare(kStandardId, call, got);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0], "y[0,0,0,0]: got 2, want 0.625 (bound 2.38e-07)");
  EXPECT_EQ(messages[1], "y[0,0,0,2]: got 0x80000000 (-0), want 0x00000000 (0), the bits of x");

  const OwnedCall large = standard_call();
  got = op(kStandardId).reference(large.view()).value();
  for (std::byte& byte : got[0].second.data) byte = std::byte{0x40};
  EXPECT_EQ(compare(kStandardId, large, got).size(), kMaxMismatches);
}

TEST(Compare, OutputsOfAnotherForm) {
  const OwnedCall call = standard_call();
  EXPECT_EQ(compare(kStandardId, call, {}), (std::vector<std::string>{"y: output is missing"}));
  EXPECT_EQ(compare(kStandardId, call, {{"y", zeros(DType::kFloat32, {1, 3, 4})}}),
            (std::vector<std::string>{"y: got float32 [1,3,4], want float32 [1,3,8]"}));
  HostTensor torn = zeros(DType::kFloat32, {1, 3, 8});
  torn.data.pop_back();
  EXPECT_EQ(compare(kStandardId, call, {{"y", torn}}), (std::vector<std::string>{"y: got 95 bytes, want 96"}));
}

}  // namespace
}  // namespace wgk::ops::testing
