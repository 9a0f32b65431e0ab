// The typed operators against the calls with names that they stand for, and one value worked out by hand each.
#include <wgk/ops/gemma_rotary_embedding.hpp>
#include <wgk/ops/mrotary_embedding.hpp>
#include <wgk/ops/rotary_embedding.hpp>

#include "runtime/engine_support.h"

namespace wgk::test {
namespace {

Device cpu() { return Device::open({.kind = DeviceKind::kCpu}).value(); }

/// Positions 1 and 2 pick the rows (0,1)/(1,0) and (-1,0)/(0,1).
RotaryEmbedding::Inputs rope_inputs() {
  return {.x = floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
          .cos_cache = floats({3, 2}, {1, 1, 0, 1, -1, 0}),
          .sin_cache = floats({3, 2}, {0, 0, 1, 0, 0, 1}),
          .position_ids = HostTensor::from<std::int64_t>({1, 2}, {1, 2})};
}

TEST(TypedOps, RotaryEmbedding) {
  const auto rope = RotaryEmbedding::create(cpu());
  ASSERT_TRUE(rope.ok()) << rope.error().message;
  EXPECT_EQ(rope->run(rope_inputs(), {.interleaved = true}).value(),
            floats({1, 1, 2, 4}, {-2, 1, 3, 4, -5, -6, -8, 7}));
  EXPECT_EQ(rope->run(rope_inputs()).value(), floats({1, 1, 2, 4}, {-3, 2, 1, 4, -5, -8, -7, 6}));

  RotaryEmbedding::Inputs wrong = rope_inputs();
  wrong.position_ids = HostTensor::from<std::int64_t>({1, 2}, {0, 3});
  const auto refused = rope->run(wrong);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kRequest);
  EXPECT_EQ(refused.error().message,
            "ai.onnx.RotaryEmbedding: positionIds: value 3 at index 1 must be in [0, 3), the cos rows");
  EXPECT_TRUE(rope->run(wrong, {}, Check::kNone).ok());
  EXPECT_FALSE(rope->run(rope_inputs(), {.rotary_embedding_dim = 3}).ok());
  EXPECT_EQ(RotaryEmbedding::from(Kernel(cpu(), package_of(double_package_files(), "double"))).error().code,
            ErrorCode::kUsage);
}

TEST(TypedOps, RotaryEmbeddingOnTheDevice) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Device& device = *software_device();
  const RotaryEmbedding rope = RotaryEmbedding::create(device).value();
  const RotaryEmbedding::Inputs host = rope_inputs();
  const GpuTensor x = upload(device, host.x);
  const GpuTensor cos = upload(device, host.cos_cache);
  const GpuTensor sin = upload(device, host.sin_cache);
  const GpuTensor positions = upload(device, *host.position_ids);
  const RotaryEmbedding::GpuInputs inputs{x, cos, sin, positions.view()};
  const HostTensor expected = floats({1, 1, 2, 4}, {-2, 1, 3, 4, -5, -6, -8, 7});
  const auto y = rope.run(inputs, {.interleaved = true});
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_EQ(y->download().value(), expected);

  const auto prepared =
      rope.prepare({spec_of(host.x), spec_of(host.cos_cache), spec_of(host.sin_cache), spec_of(*host.position_ids)},
                   {.interleaved = true});
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  const GpuTensor other = prepared->create_tensor("y").value();
  ASSERT_TRUE(prepared->bind(RotaryEmbedding::tensors(inputs, other)).value().submit().ok());
  EXPECT_EQ(other.download().value(), expected);
}

TEST(TypedOps, MRotaryEmbedding) {
  const auto rope = MRotaryEmbedding::create(cpu());
  ASSERT_TRUE(rope.ok()) << rope.error().message;
  // Row 1 is a quarter turn in every slot. Slot 0 belongs to the temporal stream (position 1), slot 1 to the height
  // stream (position 0): only the pair (1,3) of x turns, then everything is scaled by 2.
  const MRotaryEmbedding::Inputs inputs{.x = floats({1, 1, 1, 4}, {1, 2, 3, 4}),
                                        .cos_cache = floats({2, 2}, {1, 1, 0, 0}),
                                        .sin_cache = floats({2, 2}, {0, 0, 1, 1}),
                                        .position_ids = HostTensor::from<std::int64_t>({3, 1, 1}, {1, 0, 0})};
  const auto y = rope->run(inputs, {.mrope_section = {1, 1, 0}, .scale = 2});
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_EQ(*y, floats({1, 1, 1, 4}, {-6, 4, 2, 8}));
  const auto refused = rope->run(inputs, {.mrope_section = {1, 1, 1}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "com.microsoft.MRotaryEmbedding: mrope_section: sum 3 must be rotary_dim / 2 = 2");
}

TEST(TypedOps, GemmaRotaryEmbedding) {
  const auto rope = GemmaRotaryEmbedding::create(cpu());
  ASSERT_TRUE(rope.ok()) << rope.error().message;
  // An angle of 0 has cosine 1 and sine 0: the outputs are q and k.
  const auto halves = [](std::uint16_t bits) {
    return HostTensor::from<Float16>({1, 1, 1, 2}, {Float16{bits}, Float16{bits}});
  };
  const auto result =
      rope->run({floats({1, 1, 2}, {0, 0}), halves(0x3c00), halves(0x4000), halves(0x4200), halves(0x4400)});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->output1, halves(0x3c00));
  EXPECT_EQ(result->output2, halves(0x4200));
}

}  // namespace
}  // namespace wgk::test
