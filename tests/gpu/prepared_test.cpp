// Prepared plans, pools and pending reads below the public API.
#include <algorithm>
#include <thread>

#include "gpu/bound_plan.h"
#include "gpu/buffer_pool.h"
#include "gpu/call_buffers.h"
#include "gpu/plans.h"
#include "gpu/prepared_plan.h"
#include "gpu/transfer.h"

namespace wgk::gpu::testing {
namespace {

using Pool = GpuTest;

TEST_F(Pool, LendsTheSameBufferAgain) {
  BufferPool pool("test", WGPUBufferUsage_Storage);
  WGPUBuffer first = nullptr;
  {
    PooledBuffer buffer = pool.take(device->context(), 300).value();
    EXPECT_GE(buffer.size(), 300U);
    first = buffer.get();
    EXPECT_EQ(pool.idle_buffers(), 0U);
  }
  EXPECT_EQ(pool.idle_buffers(), 1U);
  PooledBuffer again = pool.take(device->context(), 400).value();
  EXPECT_EQ(again.get(), first) << "the same class of sizes";
  PooledBuffer other = pool.take(device->context(), 400).value();
  EXPECT_NE(other.get(), first) << "it is lent already";
  again.discard();
  EXPECT_EQ(pool.idle_buffers(), 0U);
}

TEST_F(Pool, KeepsNoMoreThanItsBounds) {
  BufferPool pool("test", WGPUBufferUsage_Storage);
  {
    std::vector<PooledBuffer> many;
    for (std::size_t i = 0; i < BufferPool::kMaxIdleBuffers + 5; ++i) {
      many.push_back(pool.take(device->context(), 64).value());
    }
  }
  EXPECT_EQ(pool.idle_buffers(), BufferPool::kMaxIdleBuffers);
  {
    std::vector<PooledBuffer> large;
    for (int i = 0; i < 3; ++i) large.push_back(pool.take(device->context(), BufferPool::kMaxIdleBytes / 2).value());
  }
  EXPECT_EQ(pool.idle_buffers(), 2U) << "two halves of the bytes allowed, and nothing else";
  { const PooledBuffer huge = pool.take(device->context(), BufferPool::kMaxIdleBytes + 4).value(); }
  EXPECT_EQ(pool.idle_buffers(), 2U) << "larger than everything allowed";
}

using PreparedPlans = GpuTest;

TEST_F(PreparedPlans, UniformsLieInOneBuffer) {
  const char* const kScale = R"(
struct Params { factor: f32, a: u32, b: u32, c: u32 };
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<uniform> params: Params;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&x)) { x[id.x] = x[id.x] * params.factor + 1.0; }
})";
  PlanTensor x = tensor("x", 8, true, true);
  const auto uniform = [](std::uint32_t index) {
    return bind("params", BindingAccess::kUniform, PlanBinding::Source::kUniform, index, 16);
  };
  Plan plan = plan_of(
      {x}, {pass("first", kScale, {write(0, 8), uniform(0)}), pass("second", kScale, {write(0, 8), uniform(1)})});
  plan.uniforms.push_back({"Params", {}, bytes_of<float>({2, 0, 0, 0})});
  plan.uniforms.push_back({"Params", {}, bytes_of<float>({10, 0, 0, 0})});
  const auto prepared = PreparedPlan::create(device, plan);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  EXPECT_EQ((*prepared)->uniform_offset(0), 0U);
  EXPECT_EQ((*prepared)->uniform_offset(1), device->profile().limit("minUniformBufferOffsetAlignment"));

  const Buffer buffer = create_buffer(device->context(), "x", 8,
                                      WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc)
                            .value();
  ASSERT_TRUE(write_buffer(device->context(), buffer.get(), 0, bytes_of<float>({1, 3}), "x").ok());
  const BufferRange ranges[] = {{buffer.get(), 0, 0}};
  ASSERT_TRUE(BoundPlan::create(*prepared, ranges).value().submit(nullptr).ok());
  PendingRead read = PendingRead::start(device, buffer.get(), 0, 8).value();
  // (1 * 2 + 1) * 10 + 1 and (3 * 2 + 1) * 10 + 1
  EXPECT_EQ(values_of<float>(read.get(std::chrono::seconds(60)).value()), (std::vector<float>{31, 71}));
}

TEST_F(PreparedPlans, EveryCallSaysThatTheDeviceIsLost) {
  const auto prepared = PreparedPlan::create(device, double_plan(2, {1, 1, 1}));
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc;
  const Buffer x = create_buffer(device->context(), "x", 8, kUsage).value();
  const Buffer y = create_buffer(device->context(), "y", 8, kUsage).value();
  const BufferRange ranges[] = {{x.get(), 0, 0}, {y.get(), 0, 0}};
  const BoundPlan bound = BoundPlan::create(*prepared, ranges).value();
  device->context().events.report_lost("test");
  const auto lost = [](const auto& result) {
    return !result.ok() && result.error().code == ErrorCode::kDevice &&
           result.error().message.find("the device is lost (test)") != std::string::npos;
  };
  EXPECT_TRUE(lost(PreparedPlan::create(device, double_plan(2, {1, 1, 1}))));
  EXPECT_TRUE(lost(BoundPlan::create(*prepared, ranges)));
  EXPECT_TRUE(lost(bound.submit(nullptr)));
  EXPECT_TRUE(lost(PendingRead::start(device, x.get(), 0, 8)));
  EXPECT_TRUE(lost(copy_buffer(device->context(), x.get(), 0, y.get(), 0, 8)));
}

TEST_F(PreparedPlans, OutOfMemoryIsAnErrorOfThatCall) {
  // The limit lies above what the machine has, so that the implementation itself has to refuse.
  const std::uint64_t limit = device->profile().limit("maxBufferSize");
  std::vector<Buffer> hoard;
  std::string message;
  for (int i = 0; i < 64 && message.empty(); ++i) {
    auto buffer = create_buffer(device->context(), "hoard", limit / 4 * 4, WGPUBufferUsage_Storage);
    if (buffer.ok()) {
      hoard.push_back(*std::move(buffer));
    } else {
      message = buffer.error().message;
    }
  }
  if (message.empty()) GTEST_SKIP() << "this implementation grants " << hoard.size() << " times " << limit << " bytes";
  EXPECT_NE(message.find("cannot create a buffer"), std::string::npos) << message;
  hoard.clear();
  EXPECT_TRUE(PreparedPlan::create(device, double_plan(2, {1, 1, 1})).ok()) << "the device stays usable";
}

TEST_F(PreparedPlans, AReadThatIsDroppedInTimeGivesNothingBack) {
  const Buffer x = create_buffer(device->context(), "x", 8, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc).value();
  { const PendingRead dropped = PendingRead::start(device, x.get(), 0, 8).value(); }
  EXPECT_EQ(device->staging_pool().idle_buffers(), 0U) << "a buffer that may still be mapped must not be lent again";
  PendingRead read = PendingRead::start(device, x.get(), 0, 8).value();
  EXPECT_EQ(values_of<float>(read.get(std::chrono::seconds(60)).value()), (std::vector<float>{0, 0}));
  EXPECT_EQ(device->staging_pool().idle_buffers(), 1U);
}

TEST_F(PreparedPlans, ManyPipelinesCompileAtOnce) {
  std::vector<Plan> plans;
  for (int i = 0; i < 6; ++i) {
    Plan plan = double_plan(2, {1, 1, 1});
    plan.passes[0].wgsl += "// " + std::to_string(i % 3) + "\n";
    plans.push_back(std::move(plan));
  }
  std::vector<const PlanPass*> passes;
  for (const Plan& plan : plans) passes.push_back(&plan.passes[0]);
  device->pipelines().warm(device->context(), passes, 4);
  EXPECT_EQ(device->pipeline_count(), 3U) << "equal ones once";
  for (const Plan& plan : plans) EXPECT_TRUE(PreparedPlan::create(device, plan).ok());
  EXPECT_EQ(device->pipeline_count(), 3U) << "and never again";
}

}  // namespace
}  // namespace wgk::gpu::testing
