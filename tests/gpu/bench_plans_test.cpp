// The plans of measuring: a copy copies everything, a fill leaves no word out, and the timer takes times.
#include "gpu/bench_plans.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/bound_plan.h"
#include "gpu/call_buffers.h"
#include "gpu/gpu_device.h"
#include "gpu/pass_timer.h"
#include "gpu/prepared_plan.h"

namespace wgk::gpu {
namespace {

std::shared_ptr<GpuDevice> device() {
  static const auto kDevice = [] {
    auto opened = GpuDevice::open({.kind = DeviceKind::kSoftware});
    return opened.ok() ? *std::move(opened) : nullptr;
  }();
  return kDevice;
}

#define NEEDS_DEVICE()                                                                        \
  if (!device()) {                                                                            \
    if (std::getenv("WGK_REQUIRE_ADAPTER") != nullptr) FAIL() << "no software adapter found"; \
    GTEST_SKIP() << "no software adapter";                                                    \
  }                                                                                           \
  static_assert(true)

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 131 + i / 253) & 0xFF);
  return data;
}

TEST(CopyPlan, CopiesEveryByteOfEverySize) {
  NEEDS_DEVICE();
  // Sizes that fill workgroups exactly, leave a rest, and are smaller than one.
  for (const std::size_t bytes : {16u, 4096u, 4112u, 16u * 256 * 8, 16u * 256 * 8 + 16u, 1u << 20}) {
    for (const std::uint32_t vectors : {1u, 2u, 4u, 8u}) {
      const std::vector<std::byte> source = pattern(bytes);
      const std::span<const std::byte> inputs[] = {source};
      const auto outputs = device()->run(copy_plan(bytes, vectors), inputs);
      ASSERT_TRUE(outputs.ok()) << outputs.error().message;
      EXPECT_EQ(outputs->front(), source) << bytes << " bytes, " << vectors << " vectors";
    }
  }
}

TEST(CopyPlan, CoversSizesBeyondOneAxisOfWorkgroups) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 28, std::uint64_t{1} << 30, (std::uint64_t{1} << 30) + 16}) {
    for (const std::uint32_t vectors : {1u, 2u, 4u, 8u}) {
      const Plan plan = copy_plan(bytes, vectors);
      const auto& groups = plan.passes.front().workgroups;
      EXPECT_LE(groups[0], 65535u);
      EXPECT_LE(groups[1], 65535u);
      EXPECT_GE(std::uint64_t{groups[0]} * groups[1] * 256 * vectors * 16, bytes);
    }
  }
}

TEST(FillPlan, WritesValuesOfItsKindToEveryWord) {
  NEEDS_DEVICE();
  constexpr std::size_t kWords = 100'003;
  const auto words_of = [&](FillPattern kind) {
    const auto outputs = device()->run(fill_plan(kWords * 4, kind), {});
    std::vector<std::uint32_t> words(kWords);
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
    if (outputs.ok()) std::memcpy(words.data(), outputs->front().data(), kWords * 4);
    return words;
  };
  for (const std::uint32_t word : words_of(FillPattern::kFloat32)) {
    float value = 0;
    std::memcpy(&value, &word, 4);
    ASSERT_TRUE(value >= 0 && value <= 8192) << value;
  }
  // Exponent bits of 1.0 in both halves; buffers begin as zeros, so an unwritten word would show.
  for (const std::uint32_t word : words_of(FillPattern::kFloat16)) ASSERT_EQ(word & 0xFC00FC00u, 0x3C003C00u);
  std::uint32_t seen = 0;
  for (const std::uint32_t word : words_of(FillPattern::kBytes)) {
    ASSERT_EQ(word & ~0x01010101u, 0u);
    seen |= word;
  }
  EXPECT_EQ(seen, 0x01010101u);
}

TEST(PassTimer, TimesEveryPass) {
  NEEDS_DEVICE();
  auto prepared = PreparedPlan::create(device(), fill_plan(4096, FillPattern::kBytes));
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage;
  const auto buffer = create_buffer(device()->context(), "words", 4096, kUsage);
  ASSERT_TRUE(buffer.ok()) << buffer.error().message;
  const BufferRange range{buffer->get(), 0, 4096};
  const auto bound = BoundPlan::create(*prepared, {&range, 1});
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  auto timer = PassTimer::create(device());
  ASSERT_TRUE(timer.ok()) << timer.error().message;
  const BoundPlan* const calls[] = {&*bound};
  const auto times = timer->time(calls, 5, 7);
  ASSERT_TRUE(times.ok()) << times.error().message;
  EXPECT_EQ(times->pass_ns.size(), 7u);
  EXPECT_GT(times->encode_ns, 0);
  for (const double ns : times->pass_ns) EXPECT_GE(ns, 0);
}

}  // namespace
}  // namespace wgk::gpu
