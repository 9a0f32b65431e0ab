// GemmaRotaryEmbedding: rules, bits of cosine and sine, roundings and special values.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "ops/call_builder.h"
#include "ops/trig16.h"

namespace wgk::ops::testing {
namespace {

constexpr float kHalfPi = 1.57079637f;
constexpr float kQuarterPi = 0.785398185f;

TEST(GemmaContract, Rules) {
  struct Case {
    const char* key;
    HostTensor tensor;
    const char* complaint;
  };
  const auto half = [](Shape shape) { return zeros(DType::kFloat16, std::move(shape)); };
  const auto single = [](Shape shape) { return zeros(DType::kFloat32, std::move(shape)); };
  EXPECT_EQ(complaint(kGemmaId, gemma_call()), "");
  for (const Case& c : {
           Case{"extra", half({1}), "extra: is not an input of GemmaRotaryEmbedding"},
           Case{"embT", half({2, 4, 8}), "embT: dtype float16 must be float32"},
           Case{"qT", single({2, 2, 4, 8}), "qT: dtype float32 must be float16"},
           Case{"kRotT", single({2, 2, 4, 8}), "kRotT: dtype float32 must be float16 as qT"},
           Case{"qT", half({2, 4, 8}), "qT: rank 3 must be 4"},
           Case{"embT", single({4, 8}), "embT: rank 2 must be 3"},
           Case{"qRotT", half({2, 2, 4, 4}), "qRotT: shape [2,2,4,4] must be qT shape = [2,2,4,8]"},
           Case{"kT", half({2, 1, 4, 8}), "kT: shape [2,1,4,8] must be qT shape = [2,2,4,8]"},
           Case{"kRotT", half({2, 2, 4, 8, 1}), "kRotT: shape [2,2,4,8,1] must be qT shape = [2,2,4,8]"},
           Case{"embT", single({1, 4, 8}), "embT: dimension 0 is 1, must be batch = 2"},
           Case{"embT", single({2, 1, 8}), "embT: dimension 1 is 1, must be sequence length = 4"},
           Case{"embT", single({2, 4, 4}), "embT: dimension 2 is 4, must be head size = 8"},
       }) {
    OwnedCall call = gemma_call();
    call.tensors.insert_or_assign(c.key, c.tensor);
    EXPECT_EQ(complaint(kGemmaId, call), c.complaint);
  }
  for (const char* key : {"embT", "qT", "qRotT", "kT", "kRotT"}) {
    OwnedCall call = gemma_call();
    call.tensors.erase(key);
    EXPECT_EQ(complaint(kGemmaId, call), std::string(key) + ": required input is missing");
  }
}

TEST(GemmaContract, AttributesOutputsDeviceAndOverlap) {
  OwnedCall call = gemma_call();
  call.options.attributes = {{"scale", 1.0}};
  EXPECT_EQ(complaint(kGemmaId, call), "scale: is not an attribute of GemmaRotaryEmbedding");
  call.options.attributes.clear();

  call.options.outputs["output2T"] = {DType::kFloat16, {2, 2, 4, 4}};
  EXPECT_EQ(complaint(kGemmaId, call), "output2T: shape [2,2,4,4] must be qT shape = [2,2,4,8]");
  call.options.outputs.clear();

  DeviceProfile profile;
  EXPECT_EQ(complaint(kGemmaId, call, &profile), "qT: float16 needs the device feature shader-f16");
  profile.features = {"shader-f16"};
  EXPECT_EQ(complaint(kGemmaId, call, &profile), "");
  profile.limits = {{"maxStorageBufferBindingSize", 255}};
  EXPECT_EQ(complaint(kGemmaId, call, &profile), "embT: 256 bytes must be <= maxStorageBufferBindingSize = 255");

  const int buffer = 0;
  call.options.ranges = {{"output1T", {&buffer, 0, 64}}, {"output2T", {&buffer, 0, 64}}};
  EXPECT_EQ(complaint(kGemmaId, call), "output1T: overlaps output2T at bytes [0, 64)");
  call.options.ranges = {{"output2T", {&buffer, 0, 64}}, {"kT", {&buffer, 32, 64}}};
  EXPECT_EQ(complaint(kGemmaId, call), "output2T: overlaps kT at bytes [32, 64)");
}

TEST(GemmaContract, EmptyTensorsAreAcceptedAndGiveEmptyOutputs) {
  for (const Shape& shape : {Shape{0, 2, 4, 8}, Shape{2, 0, 4, 8}, Shape{2, 2, 0, 8}, Shape{2, 2, 4, 0}}) {
    OwnedCall call;
    call.tensors.emplace("embT", zeros(DType::kFloat32, {shape[0], shape[2], shape[3]}));
    for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) call.tensors.emplace(key, zeros(DType::kFloat16, shape));
    EXPECT_EQ(complaint(kGemmaId, call), "");
    EXPECT_EQ(run(kGemmaId, call, "output2T"), zeros(DType::kFloat16, shape));
  }
}

TEST(Trig16, KnownBits) {
  struct Case {
    float angle;
    std::uint16_t cos, sin;
  };
  for (const Case& c : {
           Case{0.0f, 0x3c00, 0x0000},
           Case{-0.0f, 0x3c00, 0x8000},
           Case{-1e-30f, 0x3c00, 0x8000},
           Case{0.5f, 0x3b05, 0x37ac},
           Case{1000.0f, 0x3880, 0x3a9d},
           Case{8191.0f, 0xb92c, 0xba1b},
           Case{-12345.678f, 0x39ae, 0x39a2},
           Case{65504.0f, 0xb30f, 0x3bce},
           Case{131071.0f, 0xba8b, 0xb89a},
           Case{5e5f, 0xbbdf, 0x31b1},
           Case{1e7f, 0xbb42, 0x36bb},
           Case{0x1p30f, 0x3a4b, 0xb8f0},
           Case{3.4028235e38f, 0x3ad3, 0xb82d},
       }) {
    EXPECT_EQ(cos_float16(c.angle).bits, c.cos) << c.angle;
    EXPECT_EQ(sin_float16(c.angle).bits, c.sin) << c.angle;
  }
  EXPECT_EQ(cos_float16(kHalfPi).bits, 0x8001);
  EXPECT_EQ(sin_float16(0x1.8p-24f).bits, 0x0001);  // the tie, resolved toward zero because the sine is smaller
  EXPECT_EQ(sin_float16(-0x1.8p-24f).bits, 0x8001);
  EXPECT_EQ(sin_float16(std::bit_cast<float>(0x3f8004f5u)).bits, 0x3abb);  // two roundings would give 0x3abc
  for (const float angle : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(cos_float16(angle).bits, 0x7e00);
    EXPECT_EQ(sin_float16(angle).bits, 0x7e00);
  }
}

/// The float16 nearest to an extended-precision value, found by comparing distances.
std::uint16_t nearest_float16(long double value) {
  const long double magnitude = std::fabs(value);
  std::uint16_t low = 0;
  std::uint16_t high = 0x3c01;  // no cosine or sine is beyond 1
  const auto real = [](std::uint16_t bits) { return static_cast<long double>(float16_to_float(Float16{bits})); };
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (real(middle) <= magnitude ? low : high) = middle;
  }
  const bool up = magnitude - real(low) > real(high) - magnitude;
  return static_cast<std::uint16_t>((up ? high : low) | (std::signbit(value) ? 0x8000 : 0));
}

TEST(Trig16, RandomAnglesAgreeWithExtendedPrecision) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no wider than double here";
  std::mt19937 random(4);
  int tested = 0;
  while (tested < 100'000) {
    const float angle = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(angle)) continue;
    ++tested;
    const long double exact = static_cast<long double>(angle);
    ASSERT_EQ(cos_float16(angle).bits, nearest_float16(std::cos(exact))) << angle;
    ASSERT_EQ(sin_float16(angle).bits, nearest_float16(std::sin(exact))) << angle;
  }
}

TEST(Trig16, SmallAnglesRoundToNearestWithTiesTowardZero) {
  // Every float16 midpoint below 2^-11, and the floats beside it.
  for (std::uint16_t low = 0; low < 0x1000; ++low) {
    const float below = float16_to_float(Float16{low});
    const float above = float16_to_float(Float16{static_cast<std::uint16_t>(low + 1)});
    const float middle = (below + above) / 2;
    if (middle >= 0x1p-11f) break;
    EXPECT_EQ(sin_float16(middle).bits, low) << middle;
    EXPECT_EQ(sin_float16(-middle).bits, low | 0x8000) << middle;
    EXPECT_EQ(sin_float16(std::nextafter(middle, 1.0f)).bits, low + 1) << middle;
    EXPECT_EQ(sin_float16(std::nextafter(middle, 0.0f)).bits, low) << middle;
  }
}

/// output1 for one element.
std::uint16_t gemma(float angle, std::uint16_t q, std::uint16_t q_rot) {
  OwnedCall call;
  call.tensors = {{"embT", floats({1, 1, 1}, {angle})},
                  {"qT", half_bits({1, 1, 1, 1}, {q})},
                  {"qRotT", half_bits({1, 1, 1, 1}, {q_rot})},
                  {"kT", half_bits({1, 1, 1, 1}, {q})},
                  {"kRotT", half_bits({1, 1, 1, 1}, {q_rot})}};
  const std::uint16_t output1 = bits16(run(kGemmaId, call, "output1T"))[0];
  EXPECT_EQ(bits16(run(kGemmaId, call, "output2T"))[0], output1);
  return output1;
}

TEST(GemmaReference, RoundingsAndSpecialValues) {
  struct Case {
    float angle;
    std::uint16_t q, q_rot, result;
  };
  for (const Case& c : {
           Case{0.5f, 0x3e00, 0xc180, 0x9800},        // 1.5, -2.75: both products are rounded before the sum
           Case{kHalfPi, 0x7b53, 0x0000, 0x9b53},     // 60000 times the smallest negative subnormal
           Case{kHalfPi, 0x7c00, 0x0000, 0xfc00},     // infinity times it
           Case{0.5f, 0x7c00, 0xfc00, 0x7e00},        // inf - inf
           Case{0.5f, 0x7c00, 0x7c00, 0x7c00},        // inf + inf
           Case{0.5f, 0x0000, 0x8000, 0x0000},        // +0 + -0
           Case{0.5f, 0x8000, 0x8000, 0x8000},        // -0 + -0
           Case{kQuarterPi, 0x3c00, 0xbc00, 0x0000},  // 1, -1 cancel
           Case{kQuarterPi, 0x7a00, 0x7a00, 0x7c00},  // 34752 + 34752
           Case{std::numeric_limits<float>::infinity(), 0x3c00, 0x3c00, 0x7e00},
           Case{-std::numeric_limits<float>::infinity(), 0x0000, 0x0000, 0x7e00},
           Case{std::numeric_limits<float>::quiet_NaN(), 0x3c00, 0x3c00, 0x7e00},
       }) {
    EXPECT_EQ(gemma(c.angle, c.q, c.q_rot), c.result) << c.angle << " " << c.q << " " << c.q_rot;
  }
}

TEST(GemmaReference, HeadsShareTheAnglesOfTheirToken) {
  // B 2, N 2, S 3, D 4: output 29 is batch 1, head 0, token 1, element 1 and reads angle 17.
  OwnedCall call;
  std::vector<float> angles(24, 0.0f);
  angles[17] = 0.5f;
  call.tensors.emplace("embT", floats({2, 3, 4}, angles));
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) {
    call.tensors.emplace(
        key, half_bits({2, 2, 3, 4}, std::vector<std::uint16_t>(48, *key == 'q' && key[1] == 'T' ? 0x3c00 : 0)));
  }
  const auto output = bits16(run(kGemmaId, call, "output1T"));
  for (std::size_t i = 0; i < output.size(); ++i) {
    EXPECT_EQ(output[i], i == 29 || i == 41 ? 0x3b05 : 0x3c00) << i;
  }
  for (const std::uint16_t bits : bits16(run(kGemmaId, call, "output2T"))) EXPECT_EQ(bits, 0);
}

}  // namespace
}  // namespace wgk::ops::testing
