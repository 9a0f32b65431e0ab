// The fast GemmaRotaryEmbedding against the reference, and its cosines and sines against the oracle of src/ops.
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "cpu/gemma_kernels.h"
#include "cpu/instruction_sets.h"
#include "cpu/run_fast.h"
#include "ops/trig16.h"

namespace wgk::cpu::testing {
namespace {

using namespace ops::testing;  // NOLINT(google-build-using-namespace): the vocabulary of its tests

void expect_right_factors(const std::vector<float>& angles) {
  std::vector<float> cos(angles.size()), sin(angles.size());
  gemma_factors(angles.data(), angles.size(), cos.data(), sin.data());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    // As bits, so that the sign of zero and NaN count.
    ASSERT_EQ(float_to_float16(cos[i]).bits, ops::cos_float16(angles[i]).bits) << "angle " << angles[i];
    ASSERT_EQ(float_to_float16(sin[i]).bits, ops::sin_float16(angles[i]).bits) << "angle " << angles[i];
  }
}

TEST(FastGemma, FactorsOfAnglesFromTheWholeRange) {
  std::vector<float> angles;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 40009) {  // a prime: every kind of low bits
    angles.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  on_every_instruction_set([&] { expect_right_factors(angles); });
}

TEST(FastGemma, FactorsNextToMidpointsOfFloat16) {
  std::vector<float> angles;
  for (std::uint16_t bits = 0; bits < 0x3c00; ++bits) {
    const double low = static_cast<double>(float16_to_float(Float16{bits}));
    const double high = static_cast<double>(float16_to_float(Float16{static_cast<std::uint16_t>(bits + 1)}));
    const double midpoint = (low + high) / 2;
    for (const double angle : {std::asin(midpoint), std::acos(midpoint), std::acos(midpoint) + 512 * std::acos(-1.0)}) {
      float near = std::nextafter(static_cast<float>(angle), 0.0f);
      for (int i = 0; i < 3; ++i, near = std::nextafter(near, 1e9f)) {
        angles.push_back(near);
        angles.push_back(-near);
      }
    }
  }
  on_every_instruction_set([&] { expect_right_factors(angles); });
}

TEST(FastGemma, FactorsAtTheEdgesOfTheMethod) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> angles;
  for (const float edge : {0x1p-11f, 0x1p20f, 0x1p-149f, 0x1p-126f, 1.57079637f, 3.14159274f, 0x1.fffffep127f}) {
    for (const float angle : {edge, std::nextafter(edge, 0.0f), std::nextafter(edge, infinity)}) {
      angles.push_back(angle);
      angles.push_back(-angle);
    }
  }
  angles.insert(angles.end(), {0.0f, -0.0f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()});
  // Hard angles alone, so that a vector holds easy ones and one that goes the slow way.
  for (std::size_t i = 0; i < 40; ++i) angles.push_back(static_cast<float>(i));
  on_every_instruction_set([&] {
    expect_right_factors(angles);
    for (std::size_t count = 0; count < 20; ++count)
      expect_right_factors({angles.end() - 20, angles.end() - 20 + static_cast<std::ptrdiff_t>(count)});
  });
}

OwnedCall random_call(std::int64_t batch, std::int64_t heads, std::int64_t sequence, std::int64_t size,
                      std::mt19937& random) {
  OwnedCall call;
  const Shape shape = {batch, heads, sequence, size};
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) {
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(batch * heads * sequence * size));
    for (std::uint16_t& b : bits) {
      b = static_cast<std::uint16_t>(random());
      if (random() % 2 == 0) b = static_cast<std::uint16_t>((b & 0x8fff) | 0x3000);  // of similar size
    }
    call.tensors.emplace(key, half_bits(shape, bits));
  }
  std::vector<float> angles(static_cast<std::size_t>(batch * sequence * size));
  for (float& angle : angles) {
    angle = static_cast<float>(random() % 100000) / 37.0f;
    if (random() % 50 == 0) angle = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  }
  call.tensors.emplace("embT", floats({batch, sequence, size}, angles));
  return call;
}

TEST(FastGemma, HasTheBitsOfTheReference) {
  std::mt19937 random(21);
  std::vector<Shape> shapes = {{1, 1, 1, 1}, {2, 3, 4, 7}, {1, 2, 70, 64}, {2, 1, 3, 5000}};
  for (int i = 0; i < 40; ++i) {
    const auto pick = [&](unsigned most) { return static_cast<std::int64_t>(1 + random() % most); };
    shapes.push_back({pick(3), pick(4), pick(9), pick(140)});
  }
  for (const Shape& s : shapes) {
    const OwnedCall call = random_call(s[0], s[1], s[2], s[3], random);
    const auto want = ops::testing::op(kGemmaId).reference(call.view()).value();
    on_every_instruction_set([&] { EXPECT_EQ(run_fast(kGemmaId, call.view()), want) << to_string(s); });
  }
}

TEST(FastGemma, AnyNumberOfThreadsGivesTheSameBits) {
  std::mt19937 random(22);
  for (const Shape& s : {Shape{2, 3, 300, 128}, Shape{1, 2000, 2, 64}}) {
    const OwnedCall call = random_call(s[0], s[1], s[2], s[3], random);
    const auto want = run_fast(kGemmaId, call.view());
    for (const unsigned count : {2U, 5U}) {
      ThreadPool threads(count);
      EXPECT_EQ(run_fast(kGemmaId, call.view(), threads), want) << count;
      EXPECT_EQ(threads.started(), count - 1);
    }
  }
}

TEST(FastGemma, ZerosInAnyDimension) {
  for (std::size_t zero = 0; zero < 4; ++zero) {
    Shape q = {2, 3, 4, 8};
    q[zero] = 0;
    OwnedCall call;
    for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) call.tensors.emplace(key, zeros(DType::kFloat16, q));
    call.tensors.emplace("embT", zeros(DType::kFloat32, {q[0], q[2], q[3]}));
    const HostTensor empty = {DType::kFloat16, q, {}};
    EXPECT_EQ(run_fast(kGemmaId, call.view()), (ops::OpOutputs{{"output1T", empty}, {"output2T", empty}}));
  }
}

}  // namespace
}  // namespace wgk::cpu::testing
