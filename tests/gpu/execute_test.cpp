// What running a plan computes. Expected values are worked out by hand.
#include <numeric>

#include <gmock/gmock.h>

#include "gpu/plans.h"

namespace wgk::gpu::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

using Execute = GpuTest;

constexpr auto kStorage = BindingAccess::kStorage;
constexpr auto kScratch = PlanBinding::Source::kScratch;

PlanScratch scratch(std::string id, std::uint64_t bytes, bool zero_init) {
  PlanScratch result;
  result.id = std::move(id);
  result.storage_bytes = bytes;
  result.zero_init = zero_init;
  return result;
}

TEST_F(Execute, OneDispatch) {
  const auto result = run(*device, double_plan(3, {1, 1, 1}), {bytes_of<float>({1, -2.5F, 4})});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->size(), 1U);
  EXPECT_THAT(values_of<float>((*result)[0]), ElementsAre(2, -5, 8));
}

TEST_F(Execute, DispatchFoldedOntoY) {
  // 7 x 3 workgroups of 64 start 1,344 invocations for 1,300 elements.
  std::vector<float> x(1300);
  std::iota(x.begin(), x.end(), 0.0F);
  const auto result = run(*device, double_plan(1300, {7, 3, 1}), {bytes_of(x)});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const std::vector<float> y = values_of<float>((*result)[0]);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 2 * x[i]) << i;
}

TEST_F(Execute, HalfPrecision) {
  if (!device->profile().has_feature("shader-f16")) GTEST_SKIP() << "adapter lacks shader-f16";
  const char* wgsl = R"(enable f16;
@group(0) @binding(0) var<storage, read> x: array<f16>;
@group(0) @binding(1) var<storage, read_write> y: array<f16>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < 3u) { y[id.x] = x[id.x] + 1.0h; }
})";
  // Three halves are 6 bytes in a buffer of 8: the tail that is no whole word must arrive too.
  const Plan plan = plan_of({input("x", 6), output("y", 6)}, {pass("main", wgsl, {read(0, 8), write(1, 8)})});
  const auto result = run(*device, plan, {bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x3800})});  // 1, -2, 0.5
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(values_of<std::uint16_t>((*result)[0]), ElementsAre(0x4000, 0xbc00, 0x3e00));  // 2, -1, 1.5
}

TEST_F(Execute, PassesSeeEarlierWritesWithAndWithoutSubmitAfter) {
  const char* fill = R"(
@group(0) @binding(0) var<storage, read_write> s: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { s[id.x] = id.x + 1u; })";
  const char* sum = R"(
@group(0) @binding(0) var<storage, read_write> s: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn main() {
  var total = 0u;
  for (var i = 0u; i < 64u; i++) { total += s[i]; }
  y[0] = y[0] * 10u + total;
})";
  for (const bool submit_after : {false, true}) {
    Plan plan = plan_of({output("y", 4)}, {pass("fill", fill, {bind("s", kStorage, kScratch, 0, 256)}),
                                           pass("a", sum, {bind("s", kStorage, kScratch, 0, 256), write(0, 4)}),
                                           pass("b", sum, {bind("s", kStorage, kScratch, 0, 256), write(0, 4)})});
    plan.scratch = {scratch("s", 256, false)};
    plan.passes[0].submit_after = submit_after;
    plan.passes[2].submit_after = submit_after;
    const auto result = run(*device, plan, {});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_THAT(values_of<std::uint32_t>((*result)[0]), ElementsAre(2080 * 10 + 2080)) << submit_after;
  }
}

TEST_F(Execute, ZeroInitClearsScratchOfEveryCall) {
  const char* wgsl = R"(
@group(0) @binding(0) var<storage, read_write> s: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn main() { s[0] += 5u; y[0] = s[0]; })";
  Plan plan = plan_of({output("y", 4)}, {pass("main", wgsl, {bind("s", kStorage, kScratch, 0, 4), write(0, 4)})});
  plan.scratch = {scratch("s", 4, true)};
  for (int call = 0; call < 3; ++call) {
    const auto result = run(*device, plan, {});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_THAT(values_of<std::uint32_t>((*result)[0]), ElementsAre(5));
  }
}

TEST_F(Execute, InoutTensorKeepsWhatIsNotWritten) {
  const char* wgsl = R"(
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(1) fn main() { a[1] += 100u; })";
  const Plan plan = plan_of({tensor("a", 12, true, true)}, {pass("main", wgsl, {write(0, 12)})});
  const auto result = run(*device, plan, {bytes_of<std::uint32_t>({1, 2, 3})});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(values_of<std::uint32_t>((*result)[0]), ElementsAre(1, 102, 3));
}

TEST_F(Execute, Uniforms) {
  const char* wgsl = R"(
struct Params { a: u32, b: i32, c: f32, _pad0: u32 };
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(1) fn main() { y[0] = f32(params.a) + f32(params.b) + params.c; })";
  Plan plan =
      plan_of({output("y", 4)},
              {pass("main", wgsl,
                    {write(0, 4), bind("params", BindingAccess::kUniform, PlanBinding::Source::kUniform, 0, 16)})});
  PlanUniform uniform;
  uniform.struct_name = "Params";
  uniform.bytes = bytes_of<std::uint32_t>({7, 0xfffffffd, 0x3f000000, 0});  // 7, -3, 0.5
  plan.uniforms = {uniform};
  const auto result = run(*device, plan, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(values_of<float>((*result)[0]), ElementsAre(4.5F));
}

TEST_F(Execute, EmptyPlanSubmitsNothing) {
  Plan plan = double_plan(0, {0, 0, 0});
  plan.empty = true;
  const auto result = run(*device, plan, {{}});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->size(), 1U);
  EXPECT_TRUE((*result)[0].empty());
  EXPECT_EQ(device->pipeline_count(), 0U);
}

TEST_F(Execute, SkippedPassesLeaveOutputsZero) {
  const auto result = run(*device, double_plan(2, {0, 1, 1}), {bytes_of<float>({1, 2})});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(values_of<float>((*result)[0]), ElementsAre(0, 0));
}

TEST_F(Execute, ViewAliasOfOneBufferSkipsThePass) {
  // A pass on one buffer would break the aliasing rule if it were not skipped first.
  Plan plan = plan_of({tensor("a", 4, true, true)}, {pass("copy", kDouble, {read(0, 4), write(0, 4)})});
  plan.passes[0].view_alias = {{0, 1}};
  const auto result = run(*device, plan, {bytes_of<float>({3})});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(values_of<float>((*result)[0]), ElementsAre(3));
}

TEST_F(Execute, KernelsCannotWriteBeyondTheirBinding) {
  // Bound are 16 of 32 bytes; index 1,000 and a store loop past the end must not reach the guard behind them.
  const char* wgsl = R"(
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { a[id.x + 4u] = 7u; a[1000u + id.x] = 7u; })";
  const Plan plan = plan_of({tensor("a", 32, true, true)}, {pass("main", wgsl, {write(0, 16)})});
  const auto result = run(*device, plan, {bytes_of(std::vector<std::uint32_t>(8, 0xdeadbeef))});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const std::vector<std::uint32_t> values = values_of<std::uint32_t>((*result)[0]);
  EXPECT_THAT(std::vector(values.begin() + 4, values.end()), Each(0xdeadbeef));
}

TEST_F(Execute, SubgroupDirectiveIsAcceptedWhereTheDeviceHasSubgroups) {
  if (!device->profile().has_feature("subgroups")) GTEST_SKIP() << "adapter lacks subgroups";
  const std::string wgsl = std::string("enable subgroups;\n") + kDouble;
  Plan plan = double_plan(1, {1, 1, 1});
  plan.passes[0].wgsl = wgsl;
  const auto result = run(*device, plan, {bytes_of<float>({1})});
  ASSERT_TRUE(result.ok()) << result.error().message;
}

TEST_F(Execute, PipelinesAreCompiledOncePerTextEntryAndLayout) {
  const std::vector<std::vector<std::byte>> inputs = {bytes_of<float>({1})};
  const Plan first = double_plan(1, {1, 1, 1});
  ASSERT_TRUE(run(*device, first, inputs).ok());
  ASSERT_TRUE(run(*device, first, inputs).ok());
  EXPECT_EQ(device->pipeline_count(), 1U);

  Plan other_text = first;
  other_text.passes[0].wgsl += " ";
  ASSERT_TRUE(run(*device, other_text, inputs).ok());
  EXPECT_EQ(device->pipeline_count(), 2U);

  Plan other_entry = first;
  other_entry.passes[0].wgsl += "\n@compute @workgroup_size(1) fn second() { y[0] = 9.0; }";
  ASSERT_TRUE(run(*device, other_entry, inputs).ok());
  other_entry.passes[0].entry_point = "second";
  const auto second = run(*device, other_entry, inputs);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_THAT(values_of<float>((*second)[0]), ElementsAre(9));
  EXPECT_EQ(device->pipeline_count(), 4U);
}

}  // namespace
}  // namespace wgk::gpu::testing
