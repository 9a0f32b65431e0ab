// The rotary references on hand-computed inputs: places, streams, special values and roundings.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ops/call_builder.h"
#include "ops/rotary.h"

namespace wgk::ops::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One pair (x0, x1) under (c, s).
HostTensor rotate_pair(HostTensor x, HostTensor cos, HostTensor sin) {
  OwnedCall call;
  x.shape = {1, 1, 1, 2};
  cos.shape = sin.shape = {1, 1, 1};
  call.tensors = {{"x", x}, {"cos", cos}, {"sin", sin}};
  return run(kStandardId, call);
}

TEST(RotaryReference, HeadsLieInsideTheTokenAtRank3AndOutsideAtRank4) {
  // x [2,3,32] and [2,4,3,8], the same coordinates: batch 1, token 1, head 2, element 5.
  struct Place {
    Shape shape;
    std::size_t offset;
  };
  for (const Place& place : {Place{{2, 3, 32}, 149}, Place{{2, 4, 3, 8}, 157}}) {
    OwnedCall call;
    call.options.attributes = {{"num_heads", 4}};
    call.tensors = {{"x", floats(place.shape, std::vector<float>(192, 1.0f))},
                    {"cos", floats({2, 3, 4}, std::vector<float>(24, 1.0f))},
                    {"sin", zeros(DType::kFloat32, {2, 3, 4})}};
    // Only token (1,1) scales, and only its pair 1, which holds elements 1 and 5 of every head.
    std::vector<float> cos(24, 1.0f);
    cos[(1 * 3 + 1) * 4 + 1] = 7.0f;
    call.tensors.at("cos") = floats({2, 3, 4}, cos);
    std::vector<float> x(192, 1.0f);
    x[place.offset] = 3.0f;
    call.tensors.at("x") = floats(place.shape, x);
    const auto y = values(run(kStandardId, call));
    EXPECT_EQ(y[place.offset], 21.0f);
    EXPECT_EQ(std::count(y.begin(), y.end(), 7.0f), 7);  // two elements in each of four heads, one of them is the 21
  }
}

TEST(RotaryReference, PairsOfAPartialRotationAreHalfTheRotaryDimensionApart) {
  OwnedCall call;
  call.options.attributes = {{"rotary_embedding_dim", 4}};
  call.tensors = {{"x", floats({1, 1, 1, 10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})},
                  {"cos", zeros(DType::kFloat32, {1, 1, 2})},
                  {"sin", floats({1, 1, 2}, {1, 10})}};
  EXPECT_EQ(values(run(kStandardId, call)), (std::vector<float>{-3, -40, 1, 20, 5, 6, 7, 8, 9, 10}));
  call.options.attributes.insert_or_assign("interleaved", 1);
  EXPECT_EQ(values(run(kStandardId, call)), (std::vector<float>{-2, 1, -40, 30, 5, 6, 7, 8, 9, 10}));
}

TEST(RotaryReference, EveryBatchReadsItsOwnRow) {
  OwnedCall call;
  call.tensors = {{"x", floats({3, 1, 1, 2}, {1, 0, 1, 0, 1, 0})},
                  {"cos", floats({3, 1}, {10, 11, 12})},
                  {"sin", floats({3, 1}, {20, 21, 22})},
                  {"positionIds", positions({3, 1}, {2, 1, 0})}};
  EXPECT_EQ(values(run(kStandardId, call)), (std::vector<float>{12, 22, 11, 21, 10, 20}));
}

TEST(RotaryReference, StreamsOfSlots) {
  struct StreamCase {
    std::array<std::int64_t, 3> sections;
    std::string consecutive;
    std::string striped;
  };
  std::string thw20;
  std::string thw21;
  for (int i = 0; i < 20; ++i) thw20 += "THW";
  for (int i = 0; i < 21; ++i) thw21 += "THW";
  for (const StreamCase& c : {
           StreamCase{{4, 2, 2}, "TTTTHHWW", "THWTHWTT"},
           StreamCase{{2, 1, 1}, "TTHW", "THWT"},
           StreamCase{{1, 3, 0}, "THHH", "THTT"},
           StreamCase{{0, 0, 4}, "WWWW", "TTWT"},
           StreamCase{{24, 20, 20}, std::string(24, 'T') + std::string(20, 'H') + std::string(20, 'W'), thw20 + "TTTT"},
           StreamCase{{16, 24, 24}, std::string(16, 'T') + std::string(24, 'H') + std::string(24, 'W'), thw21 + "T"},
       }) {
    RotaryCall call;
    call.sections = c.sections;
    call.rotary_dim = 2 * (c.sections[0] + c.sections[1] + c.sections[2]);
    for (const bool striped : {false, true}) {
      call.striped = striped;
      std::string owners;
      for (const std::uint8_t stream : stream_of_slots(RotaryKind::kMultimodal, call)) owners += "THW"[stream];
      EXPECT_EQ(owners, striped ? c.striped : c.consecutive);
    }
  }
}

TEST(RotaryReference, MultimodalReadsThePositionOfItsStream) {
  // B 2, S 3: stream 2, batch 1, token 0 is index 15.
  OwnedCall call = multimodal_call();
  std::vector<std::int64_t> ids(18, 0);
  ids[15] = 5;
  std::vector<float> cos(24, 1.0f);
  cos[5 * 3 + 2] = 9.0f;  // row 5, column of the width slot
  call.tensors.at("positionIds") = positions({3, 2, 3}, ids);
  call.tensors.at("cos") = floats({8, 3}, cos);
  call.tensors.at("x") = floats({2, 3, 12}, std::vector<float>(72, 1.0f));
  const auto y = values(run(kMultimodalId, call));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool changed = i / 12 == 3 && (i % 6 == 2 || i % 6 == 5);
    EXPECT_EQ(y[i], changed ? 9.0f : 1.0f) << i;
  }
}

TEST(RotaryReference, PairingAndStripingAreIndependent) {
  std::vector<std::vector<float>> results;
  for (const int interleaved : {0, 1}) {
    for (const int layout : {0, 1}) {
      OwnedCall call;
      call.options.attributes = {{"num_heads", 1},
                                 {"mrope_section", sections(2, 1, 1)},
                                 {"interleaved", interleaved},
                                 {"mrope_layout", layout}};
      call.tensors = {{"x", floats({1, 1, 8}, {1, 2, 3, 4, 5, 6, 7, 8})},
                      {"positionIds", positions({3, 1, 1}, {0, 1, 2})},
                      {"cos", floats({3, 4}, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3})},
                      {"sin", zeros(DType::kFloat32, {3, 4})}};
      results.push_back(values(run(kMultimodalId, call)));
    }
  }
  EXPECT_EQ(results[0], (std::vector<float>{1, 2, 6, 12, 5, 6, 14, 24}));   // TTHW on (0,4) (1,5) (2,6) (3,7)
  EXPECT_EQ(results[1], (std::vector<float>{1, 4, 9, 4, 5, 12, 21, 8}));    // THWT
  EXPECT_EQ(results[2], (std::vector<float>{1, 2, 3, 4, 10, 12, 21, 24}));  // TTHW on (0,1) (2,3) (4,5) (6,7)
  EXPECT_EQ(results[3], (std::vector<float>{1, 2, 6, 8, 15, 18, 7, 8}));    // THWT
}

TEST(RotaryReference, SpecialValuesOfAPair) {
  struct PairCase {
    float x0, x1, c, s, y0, y1;
  };
  for (const PairCase& p : {
           PairCase{kInf, 1, .5f, .5f, kInf, kInf},
           PairCase{kInf, kInf, .5f, .5f, kNan, kInf},
           PairCase{kInf, 1, 0, 1, kNan, kInf},
           PairCase{1, kInf, 1, 0, kNan, kInf},
           PairCase{kNan, 1, 1, 0, kNan, kNan},
           PairCase{-0.0f, 1, 1, 0, -0.0f, 1},
           PairCase{-0.0f, -1, 1, 0, 0.0f, -1},
           PairCase{1, -0.0f, 1, 0, 1, 0.0f},
           PairCase{-1, 2, 0, 0, -0.0f, 0.0f},
       }) {
    const auto check = [&](float got, float want) {
      EXPECT_EQ(std::isnan(got), std::isnan(want)) << p.x0 << " " << p.x1;
      if (std::isnan(want)) return;
      EXPECT_EQ(got, want) << p.x0 << " " << p.x1;
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << p.x0 << " " << p.x1;
    };
    const auto single = values(rotate_pair(floats({2}, {p.x0, p.x1}), floats({1}, {p.c}), floats({1}, {p.s})));
    check(single[0], p.y0);
    check(single[1], p.y1);
    const auto half = [](float v) { return float_to_float16(v).bits; };
    const HostTensor y =
        rotate_pair(half_bits({2}, {half(p.x0), half(p.x1)}), half_bits({1}, {half(p.c)}), half_bits({1}, {half(p.s)}));
    check(float16_to_float(y.as<Float16>()[0]), p.y0);
    check(float16_to_float(y.as<Float16>()[1]), p.y1);
  }
}

TEST(RotaryReference, Float16Witnesses) {
  const auto y = [](std::uint16_t x0, std::uint16_t x1, std::uint16_t c, std::uint16_t s) {
    return bits16(rotate_pair(half_bits({2}, {x0, x1}), half_bits({1}, {c}), half_bits({1}, {s})));
  };
  EXPECT_EQ(y(0x4287, 0xab8b, 0x3c00, 0x243e)[0], 0x4288);  // the sum is rounded to float first
  EXPECT_EQ(y(0x7a00, 0x7900, 0x3e00, 0x3800),
            (std::vector<std::uint16_t>{0x7a80, 0x7c00}));  // no float16 overflow inside
  EXPECT_EQ(y(0x0001, 0, 0x3800, 0)[0], 0x0000);            // ties at the bottom of the range
  EXPECT_EQ(y(0x0003, 0, 0x3800, 0)[0], 0x0002);
  EXPECT_EQ(y(0x0005, 0, 0x3800, 0)[0], 0x0002);
}

OwnedCall scaled_call(double scale, HostTensor x, HostTensor cos, HostTensor sin) {
  OwnedCall call;
  x.shape = {1, 1, 1, static_cast<std::int64_t>(element_count(x.shape).value())};
  cos.shape = sin.shape = {1, 1};
  call.options.attributes = {
      {"num_heads", 1}, {"rotary_embedding_dim", 2}, {"mrope_section", sections(1, 0, 0)}, {"scale", scale}};
  call.tensors = {{"x", x}, {"cos", cos}, {"sin", sin}, {"positionIds", positions({3, 1, 1}, {0, 0, 0})}};
  return call;
}

TEST(RotaryReference, ScaleIsRoundedIntoTheCacheValues) {
  const auto half =
      scaled_call(0.1, half_bits({2}, {0x3c00, 0x4000}), half_bits({1}, {0x38cd}), half_bits({1}, {0x3a66}));
  EXPECT_EQ(bits16(run(kMultimodalId, half))[0], 0xae65);

  const float c = 0.6f * 0.1f;
  const float s = 0.8f * 0.1f;
  const auto single = scaled_call(0.1, floats({2}, {1, 2}), floats({1}, {0.6f}), floats({1}, {0.8f}));
  const double y0 = 1.0 * static_cast<double>(c) - 2.0 * static_cast<double>(s);
  EXPECT_EQ(values(run(kMultimodalId, single))[0], static_cast<float>(y0));
}

TEST(RotaryReference, ScaleMultipliesTheRotatedPrefixOnly) {
  for (const double scale : {2.0, 0.0, -1.0, 1.0}) {
    const auto call = scaled_call(scale, floats({3}, {3, 5, 7}), floats({1}, {2}), floats({1}, {4}));
    const auto k = static_cast<float>(scale);
    EXPECT_EQ(values(run(kMultimodalId, call)), (std::vector<float>{k * -14, k * 22, 7})) << scale;
  }
}

TEST(RotaryReference, TailsAreCopiedAsBits) {
  OwnedCall call;
  call.options.attributes = {{"rotary_embedding_dim", 2}};
  call.tensors = {{"x", float_bits({1, 1, 1, 6}, {0, 0, 0x7f923456, 0x80000000, 0x00000007, 0xff800000})},
                  {"cos", floats({1, 1, 1}, {kNan})},
                  {"sin", floats({1, 1, 1}, {kNan})}};
  const auto single = bits32(run(kStandardId, call));
  EXPECT_EQ((std::vector<std::uint32_t>(single.begin() + 2, single.end())),
            (std::vector<std::uint32_t>{0x7f923456, 0x80000000, 0x00000007, 0xff800000}));

  const auto half = scaled_call(0.0, half_bits({7}, {0x3c00, 0x3c00, 0x7d01, 0x8000, 0x0007, 0xfc00, 0xfdff}),
                                half_bits({1}, {0x3c00}), half_bits({1}, {0x3c00}));
  EXPECT_EQ(bits16(run(kMultimodalId, half)),
            (std::vector<std::uint16_t>{0, 0, 0x7d01, 0x8000, 0x0007, 0xfc00, 0xfdff}));
}

TEST(RotaryReference, BadPositionsLeaveTheirPairsAsTheyAre) {
  constexpr std::int64_t k2To32 = std::int64_t{1} << 32;
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{2}, k2To32, k2To32 + 1, -k2To32,
                                 std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    OwnedCall call;
    call.options.check_values = false;
    call.tensors = {{"x", float_bits({1, 2, 2, 2}, {0x7f923456, 1, 0x3f800000, 0, 0x80000000, 2, 0x3f800000, 0})},
                    {"cos", floats({2, 1}, {0, 0})},
                    {"sin", floats({2, 1}, {1, 1})},
                    {"positionIds", positions({1, 2}, {bad, 1})}};
    EXPECT_EQ(bits32(run(kStandardId, call)),
              (std::vector<std::uint32_t>{0x7f923456, 1, 0, 0x3f800000, 0x80000000, 2, 0, 0x3f800000}))
        << bad;

    for (std::size_t stream = 0; stream < 3; ++stream) {
      OwnedCall multimodal;
      std::vector<std::int64_t> ids = {0, 1, 0};
      ids[stream] = bad;
      multimodal.options.check_values = false;
      multimodal.options.attributes = {{"num_heads", 1}, {"mrope_section", sections(1, 1, 1)}, {"scale", 2.0}};
      multimodal.tensors = {{"x", floats({1, 1, 1, 6}, {1, 2, 3, 4, 5, 6})},
                            {"cos", floats({2, 3}, {5, 5, 5, 5, 5, 5})},
                            {"sin", zeros(DType::kFloat32, {2, 3})},
                            {"positionIds", positions({3, 1, 1}, ids)}};
      std::vector<float> expected = {10, 20, 30, 40, 50, 60};
      expected[stream] = static_cast<float>(stream + 1);
      expected[stream + 3] = static_cast<float>(stream + 4);
      EXPECT_EQ(values(run(kMultimodalId, multimodal)), expected) << bad << " in stream " << stream;
    }
  }
}

TEST(RotaryReference, PositionZeroIsAPositionLikeAnyOther) {
  OwnedCall call;
  call.options.attributes = {{"num_heads", 1}, {"mrope_section", sections(1, 0, 0)}};
  call.tensors = {{"x", floats({1, 1, 2}, {3, 5})},
                  {"positionIds", positions({3, 1, 1}, {0, 0, 0})},
                  {"cos", floats({2, 1}, {0, 1})},
                  {"sin", floats({2, 1}, {1, 0})}};
  EXPECT_EQ(values(run(kMultimodalId, call)), (std::vector<float>{-5, 3}));
}

TEST(RotaryReference, EmptyCallsGiveEmptyOutputs) {
  for (const Shape& shape : {Shape{0, 4, 3, 8}, Shape{2, 0, 3, 8}, Shape{2, 4, 0, 8}, Shape{2, 4, 3, 0}}) {
    OwnedCall call;
    call.tensors = {{"x", zeros(DType::kFloat32, shape)},
                    {"cos", zeros(DType::kFloat32, {4, shape[3] / 2})},
                    {"sin", zeros(DType::kFloat32, {4, shape[3] / 2})},
                    {"positionIds", zeros(DType::kInt64, {shape[0], shape[2]})}};
    EXPECT_EQ(run(kStandardId, call), zeros(DType::kFloat32, shape)) << to_string(shape);
  }
}

TEST(RotaryReference, PackedBatchingChangesNothing) {
  OwnedCall call;
  call.options.extensions.packed_batching = true;
  call.options.attributes = {{"num_heads", 1}, {"mrope_section", sections(1, 0, 0)}, {"is_packed_batching", 1}};
  call.tensors = {{"x", floats({1, 3, 2}, {1, 0, 1, 0, 1, 0})},
                  {"positionIds", positions({3, 1, 3}, {0, 1, 0, 0, 0, 0, 0, 0, 0})},
                  {"cos", floats({2, 1}, {3, 4})},
                  {"sin", floats({2, 1}, {5, 6})}};
  EXPECT_EQ(values(run(kMultimodalId, call)), (std::vector<float>{3, 5, 4, 6, 3, 5}));
}

}  // namespace
}  // namespace wgk::ops::testing
