// The fused rotary embedding of Gemma: angles in float32, q and k in float16, both rotated by one call.
#include <cmath>
#include <cstdio>
#include <vector>

#include <wgk/ops/gemma_rotary_embedding.hpp>
#include <wgk/wgk.hpp>

namespace {

using wgk::Float16;
using wgk::HostTensor;

constexpr std::int64_t kTokens = 4;
constexpr std::int64_t kHeadSize = 8;

/// The angle of an element; the two halves of a head have the same ones.
HostTensor angles() {
  std::vector<float> values;
  for (std::int64_t token = 0; token < kTokens; ++token) {
    for (std::int64_t i = 0; i < kHeadSize; ++i) {
      const auto slot = static_cast<double>(i % (kHeadSize / 2));
      values.push_back(static_cast<float>(static_cast<double>(token) * std::pow(10000.0, -2.0 * slot / kHeadSize)));
    }
  }
  return HostTensor::from<float>({1, kTokens, kHeadSize}, values);
}

/// q and q with its halves exchanged, the new first half negated, as the operator wants them.
std::pair<HostTensor, HostTensor> heads(std::int64_t count, float first) {
  std::vector<Float16> plain;
  std::vector<Float16> rotated;
  const std::int64_t half = kHeadSize / 2;
  const auto value = [&](std::int64_t i) { return first + 0.25F * static_cast<float>(i); };
  for (std::int64_t vector = 0; vector < count * kTokens; ++vector) {
    for (std::int64_t i = 0; i < kHeadSize; ++i) {
      plain.push_back(wgk::float_to_float16(value(i)));
      rotated.push_back(wgk::float_to_float16(i < half ? -value(i + half) : value(i - half)));
    }
  }
  const wgk::Shape shape{1, count, kTokens, kHeadSize};
  return {HostTensor::from<Float16>(shape, plain), HostTensor::from<Float16>(shape, rotated)};
}

}  // namespace

int main() {
  try {
    const auto rope = wgk::GemmaRotaryEmbedding::create(wgk::Device::open().value()).value();
    auto [q, q_rot] = heads(4, 1);
    auto [k, k_rot] = heads(4, -1);
    const auto result = rope.run({angles(), q, q_rot, k, k_rot}).value();
    for (std::int64_t token = 0; token < kTokens; ++token) {
      std::printf("token %d:", static_cast<int>(token));
      for (std::int64_t i = 0; i < kHeadSize; ++i) {
        const auto index = static_cast<std::size_t>(token * kHeadSize + i);
        std::printf(" %.2f", static_cast<double>(wgk::float16_to_float(result.output1.as<Float16>()[index])));
      }
      std::printf("\n");
    }
    return 0;
  } catch (const wgk::Exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
