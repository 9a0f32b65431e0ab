// What a call reports when it cannot be done, and that the device survives it.
#include <algorithm>
#include <cctype>

#include <gmock/gmock.h>

#include "gpu/plans.h"
#include "gpu/procs.h"

namespace wgk::gpu::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Errors : public GpuTest {
 protected:
  // Runs a good plan: whatever went wrong before concerned that call only.
  void expect_usable() {
    const auto result = run(*device, double_plan(1, {1, 1, 1}), {bytes_of<float>({21})});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_THAT(values_of<float>((*result)[0]), ElementsAre(42));
  }
  std::string failure(const Plan& plan) { return failure_of(run(*device, plan, {bytes_of<float>({1})})); }
};

TEST_F(Errors, ShaderErrorCarriesPlaceAndCompilerText) {
  Plan plan = double_plan(1, {1, 1, 1});
  plan.passes[0].wgsl = "fn main( {";
  EXPECT_THAT(failure(plan), AllOf(StartsWith("test.Op: variant 'plain', pass 'main': shader does not compile: "),
                                   HasSubstr("test.wgsl"), HasSubstr("expected identifier"), HasSubstr("wgsl:1:10")));
  expect_usable();
}

TEST_F(Errors, MissingEntryPoint) {
  Plan plan = double_plan(1, {1, 1, 1});
  plan.passes[0].entry_point = "nowhere";
  EXPECT_THAT(failure(plan), AllOf(StartsWith("test.Op: variant 'plain', pass 'main': cannot create the pipeline: "),
                                   HasSubstr("nowhere")));
  expect_usable();
}

TEST_F(Errors, UnknownExtension) {
  Plan plan = double_plan(1, {1, 1, 1});
  plan.passes[0].wgsl = "enable chromium_experimental_subgroup_matrix;\n" + plan.passes[0].wgsl;
  EXPECT_EQ(failure(plan),
            "test.Op: variant 'plain', pass 'main': needs WGSL extension 'chromium_experimental_subgroup_matrix', "
            "which this WebGPU implementation does not offer");
  expect_usable();
}

TEST_F(Errors, LayoutThatTheShaderContradicts) {
  Plan plan = double_plan(1, {1, 1, 1});
  plan.passes[0].bindings[1].access = BindingAccess::kReadOnlyStorage;
  EXPECT_THAT(failure(plan), StartsWith("test.Op: variant 'plain', pass 'main': cannot create the pipeline: "));
  expect_usable();
}

TEST_F(Errors, BindingTooSmallForTheShader) {
  Plan plan = double_plan(1, {1, 1, 1});
  plan.passes[0].wgsl = R"(
@group(0) @binding(0) var<storage, read> x: array<f32, 64>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 64>;
@compute @workgroup_size(1) fn main() { y[0] = x[0]; })";
  EXPECT_THAT(failure(plan), StartsWith("test.Op: variant 'plain': the commands are invalid: "));
  expect_usable();
}

struct BadPlan {
  const char* name;
  void (*spoil)(Plan&);
  const char* message;
};

class BadPlans : public Errors, public ::testing::WithParamInterface<BadPlan> {};

TEST_P(BadPlans, AreRefused) {
  Plan plan = double_plan(1, {1, 1, 1});
  GetParam().spoil(plan);
  EXPECT_THAT(failure(plan), StartsWith(GetParam().message));
  expect_usable();
}

INSTANTIATE_TEST_SUITE_P(
    Errors, BadPlans,
    ::testing::Values(
        BadPlan{"TensorIndex", [](Plan& p) { p.passes[0].bindings[0].index = 2; },
                "test.Op: variant 'plain', pass 'main': binding 't0' refers to nothing in the plan"},
        BadPlan{"ScratchIndex", [](Plan& p) { p.passes[0].bindings[0].source = PlanBinding::Source::kScratch; },
                "test.Op: variant 'plain', pass 'main': binding 't0' refers to nothing in the plan"},
        BadPlan{"UniformAccess", [](Plan& p) { p.passes[0].bindings[0].access = BindingAccess::kUniform; },
                "test.Op: variant 'plain', pass 'main': binding 't0' refers to nothing in the plan"},
        BadPlan{"SizeZero", [](Plan& p) { p.passes[0].bindings[0].size_bytes = 0; },
                "test.Op: variant 'plain', pass 'main': binding 't0' binds 0 bytes of a buffer of 4"},
        BadPlan{"SizeOdd", [](Plan& p) { p.passes[0].bindings[0].size_bytes = 3; },
                "test.Op: variant 'plain', pass 'main': binding 't0' binds 3 bytes of a buffer of 4"},
        BadPlan{"SizeBeyond", [](Plan& p) { p.passes[0].bindings[0].size_bytes = 8; },
                "test.Op: variant 'plain', pass 'main': binding 't0' binds 8 bytes of a buffer of 4"},
        BadPlan{"Workgroups", [](Plan& p) { p.passes[0].workgroups[1] = 65536; },
                "test.Op: variant 'plain', pass 'main': 65536 workgroups are more than "
                "maxComputeWorkgroupsPerDimension of this device (65535)"},
        BadPlan{"ViewAlias",
                [](Plan& p) {
                  p.passes[0].view_alias = {{0, 2}};
                },
                "test.Op: variant 'plain', pass 'main': viewAlias names a binding that is not there"},
        BadPlan{"InputSize", [](Plan& p) { p.tensors[0].storage_bytes = 8; },
                "test.Op: variant 'plain': input 'x' has 4 bytes, the plan needs 8"},
        BadPlan{"InputCount", [](Plan& p) { p.tensors[0].is_input = false; },
                "test.Op: variant 'plain': 1 inputs given, the plan has 0"},
        BadPlan{"TensorTooLarge", [](Plan& p) { p.tensors[1].storage_bytes = std::uint64_t{1} << 50; },
                "test.Op: variant 'plain': tensor 'y' needs 1125899906842624 bytes, more than maxBufferSize"},
        BadPlan{"LargestSize", [](Plan& p) { p.tensors[1].storage_bytes = ~std::uint64_t{0}; },
                "test.Op: variant 'plain': tensor 'y' needs 18446744073709551615 bytes, more than maxBufferSize"},
        BadPlan{"EmptyWithOutput", [](Plan& p) { p.empty = true; },
                "test.Op: variant 'plain': the plan does nothing, but output 'y' is not empty"},
        BadPlan{"Aliasing", [](Plan& p) { p.passes[0].bindings[0].index = 1; },
                "test.Op (variant plain, pass main): storage aliasing hazard — binding \"t0\" (read-only-storage) and "
                "binding \"t1\" (storage, read_write) resolve to the same GPU buffer."}),
    [](const auto& param) { return std::string(param.param.name); });

TEST_F(Errors, BindingLargerThanTheDeviceAllows) {
  const std::uint64_t bytes = device->profile().limit("maxStorageBufferBindingSize") + 4;
  if (bytes > device->profile().limit("maxBufferSize")) GTEST_SKIP() << "no buffer can be that large here";
  const Plan plan = plan_of({output("y", bytes)}, {pass("main", kDouble, {write(0, bytes)})});
  EXPECT_THAT(failure_of(run(*device, plan, {})),
              HasSubstr("pass 'main': binding 't0' needs " + std::to_string(bytes) +
                        " bytes, more than maxStorageBufferBindingSize of this device"));
  expect_usable();
}

TEST_F(Errors, WorkThatDoesNotEndInTimeLosesTheDevice) {
  // How long a kernel takes cannot be relied on, so the implementation is kept from reporting that it has ended.
  Procs deaf = procs();
  deaf.wgpuDevicePoll = [](WGPUDevice, WGPUBool, WGPUSubmissionIndex const*) -> WGPUBool { return WGPU_FALSE; };
  deaf.wgpuInstanceProcessEvents = [](WGPUInstance) {};
  const ProcsOverride installed(deaf);
  device->set_timeout(std::chrono::milliseconds(20));
  const Plan plan = double_plan(1, {1, 1, 1});
  EXPECT_EQ(failure(plan),
            "test.Op: variant 'plain': the GPU work did not end within 20 ms; the device cannot be used any more, open "
            "it again");
  EXPECT_EQ(failure(plan), "the device is lost (the GPU work did not end within 20 ms); open it again");
}

TEST(Open, NamesWhatWasFound) {
  DeviceOptions options;
  options.adapter_name = "no such adapter";
  const auto opened = GpuDevice::open(options);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kDevice);
  EXPECT_THAT(opened.error().message, StartsWith("no adapter with 'no such adapter' in its name; "));
}

TEST(Open, CpuPathHasNoDevice) {
  DeviceOptions options;
  options.kind = DeviceKind::kCpu;
  const auto opened = GpuDevice::open(options);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUsage);
}

using Opened = GpuTest;

TEST_F(Opened, ByPartOfTheNameInAnyCase) {
  std::string name = device->profile().adapter.device.substr(0, 4);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  DeviceOptions options;
  options.adapter_name = name;
  const auto again = GpuDevice::open(options);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ((*again)->profile(), device->profile());
}

TEST_F(Opened, IsListedWithTheSameProfile) {
  EXPECT_TRUE(device->is_software());
  EXPECT_TRUE(device->profile().adapter.is_fallback_adapter);
  const auto found = enumerate_adapters();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(std::any_of(found->begin(), found->end(), [&](const FoundAdapter& adapter) {
    return adapter.software && adapter.profile == device->profile();
  }));
}

}  // namespace
}  // namespace wgk::gpu::testing
