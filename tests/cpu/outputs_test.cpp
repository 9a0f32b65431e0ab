// What happens to the memory of outputs, and how much a call takes beside it.
#include <gtest/gtest.h>

#include "cpu/allocations.h"
#include "cpu/run_fast.h"

namespace wgk::cpu::testing {
namespace {

using namespace ops::testing;  // NOLINT(google-build-using-namespace): the vocabulary of its tests

OwnedCall large_call() {
  OwnedCall call;
  call.tensors = {{"x", zeros(DType::kFloat16, {1, 32, 256, 128})},
                  {"cos", zeros(DType::kFloat16, {256, 64})},
                  {"sin", zeros(DType::kFloat16, {256, 64})},
                  {"positionIds", zeros(DType::kInt64, {3, 1, 256})}};
  call.options.attributes = {{"mrope_section", sections(24, 20, 20)}, {"mrope_layout", 1}, {"scale", 0.5}};
  return call;
}

TEST(CpuOutputs, FittingMemoryIsUsedAgain) {
  const OwnedCall call = standard_call();
  ThreadPool threads(1);
  ops::OpOutputs outputs = {{"y", floats({1, 3, 8}, std::vector<float>(24, 7.0f))}};
  const std::byte* before = outputs[0].second.data.data();
  ASSERT_TRUE(find_compute(kStandardId)(call.view(), threads, outputs).ok());
  EXPECT_EQ(outputs[0].second.data.data(), before);
  EXPECT_EQ(outputs, run_fast(kStandardId, call.view()));
}

TEST(CpuOutputs, OtherTensorsAreReplaced) {
  const OwnedCall call = standard_call();
  ThreadPool threads(1);
  ops::OpOutputs outputs = {{"z", floats({2}, {1, 2})}, {"more", floats({1}, {1})}};
  ASSERT_TRUE(find_compute(kStandardId)(call.view(), threads, outputs).ok());
  EXPECT_EQ(outputs, run_fast(kStandardId, call.view()));
}

TEST(CpuOutputs, ABadCallLeavesThemAlone) {
  OwnedCall call = standard_call();
  call.tensors.at("sin") = zeros(DType::kFloat32, {8, 3});
  ThreadPool threads(1);
  ops::OpOutputs outputs = {{"y", floats({2}, {1, 2})}};
  const ops::OpOutputs before = outputs;
  const Status status = find_compute(kStandardId)(call.view(), threads, outputs);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kRequest);
  EXPECT_EQ(outputs, before);
}

TEST(CpuOutputs, ACallTakesItsOutputsAndLittleElse) {
  const OwnedCall call = large_call();
  const ops::OpCall view = call.view();
  ThreadPool threads(2);
  ops::OpOutputs outputs;
  const Compute compute = find_compute(kMultimodalId);
  std::size_t before = allocated_bytes();
  ASSERT_TRUE(compute(view, threads, outputs).ok());
  const std::size_t output_bytes = outputs[0].second.data.size();
  EXPECT_LT(allocated_bytes() - before, output_bytes + (16 << 10));
  before = allocated_bytes();
  ASSERT_TRUE(compute(view, threads, outputs).ok());
  EXPECT_LT(allocated_bytes() - before, std::size_t{16} << 10);
}

TEST(CpuOutputs, AnUnknownOperatorHasNoFastPath) { EXPECT_EQ(find_compute("test.Double"), nullptr); }

}  // namespace
}  // namespace wgk::cpu::testing
