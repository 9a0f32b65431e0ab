// Kernel on the software adapter and on the CPU path.
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include <wgk/kernel.hpp>
#include <wgk/test_cases.hpp>

#include "support/package_folder.h"
#include "support/software_device.h"

namespace wgk {
namespace {

std::string rope_folder() { return std::string(WGK_SOURCE_DIR) + "/kernels/ai.onnx.RotaryEmbedding"; }

Package load(const std::string& location) {
  auto package = Package::load(location);
  if (!package) ADD_FAILURE() << package.error().message;
  return std::move(package).value();
}

Device cpu() { return Device::open({.kind = DeviceKind::kCpu}).value(); }

/// Positions 1 and 2 pick the rows (0,1)/(1,0) and (-1,0)/(0,1): neighbours rotate to -2 1 3 4 and -5 -6 -8 7.
TensorMap rope_inputs() {
  return {{"x", HostTensor::from<float>({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
          {"cos", HostTensor::from<float>({3, 2}, {1, 1, 0, 1, -1, 0})},
          {"sin", HostTensor::from<float>({3, 2}, {0, 0, 1, 0, 0, 1})},
          {"positionIds", HostTensor::from<std::int64_t>({1, 2}, {1, 2})}};
}

HostTensor rope_output() { return HostTensor::from<float>({1, 1, 2, 4}, {-2, 1, 3, 4, -5, -6, -8, 7}); }

RunOptions interleaved() { return {.attrs = {{"interleaved", 1}}}; }

/// Both ways to run: what holds for one must hold for the other.
std::vector<Device> devices() {
  std::vector<Device> all{cpu()};
  if (test::software_device()) all.push_back(*test::software_device());
  return all;
}

TEST(Kernel, RunsOnTheSoftwareAdapter) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel kernel(*test::software_device(), load(rope_folder()));
  const auto result = kernel.run(rope_inputs(), interleaved());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ((*result)["y"], rope_output());
  EXPECT_EQ(result->variant.rfind("rank4_cache2", 0), 0U) << result->variant;
  EXPECT_TRUE(result->dispatched);
  EXPECT_EQ(kernel.device().kind(), DeviceKind::kSoftware);
}

TEST(Kernel, RunsOnTheCpu) {
  const Kernel kernel(cpu(), load(rope_folder()));
  const auto result = kernel.run(rope_inputs(), interleaved());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ((*result)["y"], rope_output());
  EXPECT_EQ(result->variant, "cpu");
  EXPECT_FALSE(result->dispatched);
}

TEST(Kernel, RunIntoWritesOverAnEarlierResult) {
  const Kernel kernel(cpu(), load(rope_folder()));
  RunResult result;
  ASSERT_TRUE(kernel.run_into(rope_inputs(), result, {}).ok());
  const std::byte* memory = result["y"].data.data();
  EXPECT_NE(result["y"], rope_output());
  ASSERT_TRUE(kernel.run_into(rope_inputs(), result, interleaved()).ok());
  EXPECT_EQ(result["y"], rope_output());
  EXPECT_EQ(result["y"].data.data(), memory);
  ASSERT_FALSE(kernel.run_into({}, result, interleaved()).ok());
  EXPECT_EQ(result["y"], rope_output()) << "an error leaves the result as it was";
}

TEST(Kernel, TheNumberOfCpuThreadsChangesNoResult) {
  for (const unsigned threads : {1U, 3U}) {
    const auto device = Device::open({.kind = DeviceKind::kCpu, .cpu_threads = threads});
    ASSERT_TRUE(device.ok());
    EXPECT_EQ(Kernel(*device, load(rope_folder()))(rope_inputs(), interleaved())["y"], rope_output());
  }
}

TEST(Kernel, AnOutputOfATemporaryResultIsSafeToKeep) {
  const Kernel kernel(cpu(), load(rope_folder()));
  const auto& y = kernel(rope_inputs(), interleaved())["y"];
  EXPECT_EQ(y, rope_output());
  EXPECT_THROW(kernel(rope_inputs(), interleaved())["z"], Exception);
}

TEST(Kernel, TheSameKernelTakesOtherAttributesAndValues) {
  for (const Device& device : devices()) {
    const Kernel kernel(device, load(rope_folder()));
    ASSERT_TRUE(kernel.run(rope_inputs(), interleaved()).ok());
    // Not interleaved: pairs (1,3) and (2,4) with row 1, (5,7) and (6,8) with row 2.
    const auto halves = kernel.run(rope_inputs());
    ASSERT_TRUE(halves.ok()) << halves.error().message;
    EXPECT_EQ((*halves)["y"], HostTensor::from<float>({1, 1, 2, 4}, {-3, 2, 1, 4, -5, -8, -7, 6}));
    EXPECT_EQ(kernel(rope_inputs(), interleaved())["y"], rope_output());
  }
}

TEST(Kernel, NamesOfOnnxAreAccepted) {
  const TensorMap by_key = rope_inputs();
  const TensorMap by_name = {{"X", by_key.at("x")},
                             {"cos_cache", by_key.at("cos")},
                             {"sin_cache", by_key.at("sin")},
                             {"position_ids", by_key.at("positionIds")}};
  for (const Device& device : devices()) {
    EXPECT_EQ(Kernel(device, load(rope_folder()))(by_name, interleaved())["y"], rope_output());
  }
}

TEST(Kernel, ATensorMustHaveTheBytesOfItsShape) {
  for (const Device& device : devices()) {
    const Kernel kernel(device, load(rope_folder()));
    TensorMap inputs = rope_inputs();
    inputs.at("x").data.pop_back();
    const auto result = kernel.run(inputs, interleaved());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kRequest);
    EXPECT_EQ(result.error().message, "ai.onnx.RotaryEmbedding: x: 31 bytes of data, but float32 [1,1,2,4] needs 32");
    inputs.at("x").shape = {1, -1, 2, 4};
    EXPECT_FALSE(kernel.run(inputs, interleaved()).ok());
  }
}

TEST(Kernel, ContractErrorsAreTheSameOnEveryDevice) {
  for (const Device& device : devices()) {
    const Kernel kernel(device, load(rope_folder()));
    TensorMap inputs = rope_inputs();
    inputs.at("positionIds") = HostTensor::from<std::int64_t>({1, 2}, {0, 3});
    const auto result = kernel.run(inputs, interleaved());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kRequest);
    EXPECT_EQ(result.error().message,
              "ai.onnx.RotaryEmbedding: positionIds: value 3 at index 1 must be in [0, 3), the cos rows");
    EXPECT_FALSE(kernel.check(inputs, interleaved()).ok());
    EXPECT_TRUE(kernel.check(rope_inputs(), interleaved()).ok());
  }
}

TEST(Kernel, UncheckedPositionsLeaveTheirTokensUnchanged) {
  for (const Device& device : devices()) {
    const Kernel kernel(device, load(rope_folder()));
    for (const std::int64_t bad :
         {std::int64_t{3}, std::int64_t{-1}, (std::int64_t{1} << 32) + 1, std::numeric_limits<std::int64_t>::min()}) {
      TensorMap inputs = rope_inputs();
      inputs.at("positionIds") = HostTensor::from<std::int64_t>({1, 2}, {bad, 2});
      RunOptions options = interleaved();
      options.check = Check::kNone;
      const auto result = kernel.run(inputs, options);
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ((*result)["y"], HostTensor::from<float>({1, 1, 2, 4}, {1, 2, 3, 4, -5, -6, -8, 7})) << bad;
    }
  }
}

TEST(Kernel, EmptyOutputsNeedNoDispatch) {
  TensorMap inputs = rope_inputs();
  inputs.at("x") = HostTensor{DType::kFloat32, {1, 1, 0, 4}, {}};
  inputs.at("positionIds") = HostTensor{DType::kInt64, {1, 0}, {}};
  for (const Device& device : devices()) {
    const auto result = Kernel(device, load(rope_folder())).run(inputs, interleaved());
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ((*result)["y"], (HostTensor{DType::kFloat32, {1, 1, 0, 4}, {}}));
    EXPECT_FALSE(result->dispatched);
  }
}

TEST(Kernel, PlansWithoutAnAdapter) {
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  const Kernel kernel(Device::for_profile(profile), load(rope_folder()));
  const auto plan = kernel.plan(rope_inputs(), interleaved());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->op, "ai.onnx.RotaryEmbedding");
  EXPECT_FALSE(plan->passes.empty());
}

TEST(Kernel, AnOperatorWithoutCodeNeedsAnAdapter) {
  auto package = Package::from_memory(test::double_package_files(), "double");
  ASSERT_TRUE(package.ok()) << package.error().message;
  const TensorMap inputs = {{"x", HostTensor::from<std::int32_t>({3}, {1, -2, 5})}};
  const auto on_cpu = Kernel(cpu(), *package).run(inputs);
  ASSERT_FALSE(on_cpu.ok());
  EXPECT_EQ(on_cpu.error().code, ErrorCode::kDevice);
  WGK_NEEDS_SOFTWARE_DEVICE();
  const auto result = Kernel(*test::software_device(), *package).run(inputs);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ((*result)["y"], HostTensor::from<std::int32_t>({3}, {2, -4, 10}));
}

TEST(GetKernel, FindsAVersionedPackage) {
  ::setenv("WGK_KERNELS_PATH", (std::string(WGK_SOURCE_DIR) + "/kernels").c_str(), 1);
  const GetKernelOptions options{.version = 1, .device = {.kind = DeviceKind::kCpu}};
  auto kernel = get_kernel("webgpu-kernels/ai.onnx.RotaryEmbedding", options);
  EXPECT_EQ(kernel(rope_inputs(), interleaved())["y"], rope_output());
}

TEST(GetKernel, ReportsWhatIsWrong) {
  ::setenv("WGK_KERNELS_PATH", (std::string(WGK_SOURCE_DIR) + "/kernels").c_str(), 1);
  struct Row {
    const char* reference;
    int version;
    ErrorCode code;
    const char* message;
  };
  for (const Row& row :
       {Row{"webgpu-kernels/ai.onnx.RotaryEmbedding", 0, ErrorCode::kUsage, "a version is required"},
        Row{"webgpu-kernels/ai.onnx.RotaryEmbedding", 7, ErrorCode::kPackage, "version 7 was asked for"},
        Row{"webgpu-kernels/ai.onnx.RotaryEmbedding", -1, ErrorCode::kUsage, "must be >= 1"},
        Row{"webgpu-kernels/ai.onnx.NoSuchOperator", 1, ErrorCode::kPackage, "ai.onnx.NoSuchOperator"}}) {
    try {
      get_kernel(row.reference, {.version = row.version, .device = {.kind = DeviceKind::kCpu}});
      ADD_FAILURE() << row.reference << " version " << row.version << " was found";
    } catch (const Exception& error) {
      EXPECT_EQ(error.error().code, row.code) << error.what();
      EXPECT_NE(std::string(error.what()).find(row.message), std::string::npos) << error.what();
    }
  }
}

TEST(Device, AutoSaysWhatItTook) {
  const auto device = Device::open();
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_NE(device->note().find("using"), std::string::npos) << device->note();
  const auto named = Device::open({.adapter_name = "no adapter has this name"});
  ASSERT_FALSE(named.ok()) << "a name that nothing matches must not fall back to the CPU";
  EXPECT_EQ(named.error().code, ErrorCode::kDevice);
}

TEST(TestCases, ToleranceIsRelativeAboveOne) {
  // |got - want| <= t * max(1, |want|) with got = 2x: x = 50 against 101 differs by 1, allowed up to 0.01 * 101.
  const auto cases = TestCases::parse(R"({"cases": [
    {"name": "inside",
     "inputs": {"x": {"dtype": "float32", "shape": [2],
       "data": {"kind": "values", "values": [50, 0]}}},
     "outputs": {"y": {"dtype": "float32", "shape": [2], "tolerance": 0.01,
       "data": {"kind": "values", "values": [101, -0.01]}}}},
    {"name": "outside",
     "inputs": {"x": {"dtype": "float32", "shape": [1],
       "data": {"kind": "values", "values": [50]}}},
     "outputs": {"y": {"dtype": "float32", "shape": [1], "tolerance": 0.009,
       "data": {"kind": "values", "values": [101]}}}},
    {"name": "wrong shape",
     "inputs": {"x": {"dtype": "float32", "shape": [1],
       "data": {"kind": "values", "values": [1]}}},
     "outputs": {"y": {"dtype": "float32", "shape": [1, 1]}}},
    {"name": "no values",
     "inputs": {"x": {"dtype": "float32", "shape": [1],
       "data": {"kind": "values", "values": [1]}}},
     "outputs": {"y": {"dtype": "float32", "shape": [1]}}}]})");
  ASSERT_TRUE(cases.ok()) << cases.error().message;
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel kernel(*test::software_device(), Package::from_memory(test::double_package_files(), "double").value());
  using Outcome = CaseResult::Outcome;
  EXPECT_EQ(cases->run(0, kernel).outcome, Outcome::kPassed) << cases->run(0, kernel).message;
  EXPECT_EQ(cases->run(1, kernel).outcome, Outcome::kFailed);
  EXPECT_EQ(cases->run(2, kernel).message, "y: shape [1], want [1,1]");
  const CaseResult unknown = cases->run(3, kernel);
  EXPECT_EQ(unknown.outcome, Outcome::kPassed) << unknown.message;
  EXPECT_FALSE(unknown.values_compared);
}

}  // namespace
}  // namespace wgk
