// The parts of the layer that need no device: directives, aliasing, names of features and limits, cache keys.
#include <limits>

#include <gmock/gmock.h>

#include "gpu/adapter.h"
#include "gpu/aliasing.h"
#include "gpu/error_scope.h"
#include "gpu/pipeline_cache.h"
#include "gpu/plans.h"
#include "gpu/shader_text.h"

namespace wgk::gpu::testing {
namespace {

using ::testing::ElementsAre;

struct ShaderCase {
  const char* name;
  const char* wgsl;
  const char* expected;  ///< fitted text, or the reason
  bool ok;
};

class FitShader : public ::testing::TestWithParam<ShaderCase> {};

TEST_P(FitShader, OnADeviceWithF16AndSubgroups) {
  DeviceProfile profile;
  profile.features = {"shader-f16", "subgroups"};
  profile.wgsl_language_features = {"pointer_composite_access"};
  const auto fitted = fit_shader(GetParam().wgsl, profile);
  ASSERT_EQ(fitted.ok(), GetParam().ok);
  EXPECT_EQ(fitted.ok() ? *fitted : fitted.error().message, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Table, FitShader,
    ::testing::Values(
        ShaderCase{"NoDirective", "fn f() {}", "fn f() {}", true}, ShaderCase{"Empty", "", "", true},
        ShaderCase{"F16Stays", "enable f16;\nfn f() {}", "enable f16;\nfn f() {}", true},
        ShaderCase{"SubgroupsGo", "enable subgroups;\nfn f() {}", "\nfn f() {}", true},
        ShaderCase{"OnlyThatName", "enable f16, subgroups;\nfn f() {}", "enable f16;\nfn f() {}", true},
        ShaderCase{"LineBreaksStay", "enable f16,\nsubgroups\n;fn f() {}", "enable f16;\n\nfn f() {}", true},
        ShaderCase{"BehindCommentsAndDiagnostics",
                   "// a\n/* b /* c */ */ diagnostic(off, x.y);\nenable subgroups;fn f() {}",
                   "// a\n/* b /* c */ */ diagnostic(off, x.y);\nfn f() {}", true},
        ShaderCase{"InCommentIsNoDirective", "// enable nonsense;\nfn f() {}", "// enable nonsense;\nfn f() {}", true},
        ShaderCase{"LaterTextIsNoDirective", "fn f() {}\nenable nonsense;", "fn f() {}\nenable nonsense;", true},
        ShaderCase{"Unclosed", "enable f16", "enable f16", true},
        ShaderCase{"UnclosedComment", "/* enable foo;", "/* enable foo;", true},
        ShaderCase{"RequiresKnown", "requires pointer_composite_access;", "requires pointer_composite_access;", true},
        ShaderCase{"UnknownEnable", "enable foo;",
                   "needs WGSL extension 'foo', which this WebGPU implementation does not offer", false},
        ShaderCase{"UnknownRequires", "requires unrestricted_pointer_parameters;",
                   "needs WGSL extension 'unrestricted_pointer_parameters', which this WebGPU implementation does not "
                   "offer",
                   false},
        ShaderCase{"FeatureMissing", "enable clip_distances;",
                   "needs WGSL extension 'clip_distances', but this device lacks the feature \"clip-distances\"",
                   false}),
    [](const auto& param) { return std::string(param.param.name); });

ResolvedBinding at(const char* name, BindingAccess access, const void* buffer, std::uint64_t offset,
                   std::uint64_t size) {
  return {name, access, buffer, offset, size, DType::kFloat32};
}

TEST(Aliasing, WritableRangesMayShareABufferButNotOverlap) {
  const int a = 0;
  const int b = 0;
  constexpr auto kWrite = BindingAccess::kStorage;
  constexpr auto kRead = BindingAccess::kReadOnlyStorage;
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const Plan plan = plan_of({}, {});
  const PlanPass where = pass("p", "", {});
  const auto check = [&](ResolvedBinding first, ResolvedBinding second) {
    const ResolvedBinding both[] = {first, second};
    const Status status = check_aliasing(plan, where, both);
    return status.ok() ? std::string() : status.error().message;
  };
  const std::string overlap =
      "test.Op (variant plain, pass p): storage bindings \"x\" and \"y\" alias overlapping writable ranges of the same "
      "GPU buffer";
  const std::string hazard =
      "test.Op (variant plain, pass p): storage aliasing hazard — binding \"x\" (read-only-storage) and binding \"y\" "
      "(storage, read_write) resolve to the same GPU buffer.";
  EXPECT_EQ(check(at("x", kWrite, &a, 0, 16), at("y", kWrite, &b, 0, 16)), "");
  EXPECT_EQ(check(at("x", kWrite, &a, 0, 16), at("y", kWrite, &a, 16, 16)), "");
  EXPECT_EQ(check(at("x", kWrite, &a, 16, 16), at("y", kWrite, &a, 0, 16)), "");
  EXPECT_EQ(check(at("x", kWrite, &a, 0, 16), at("y", kWrite, &a, 12, 16)), overlap);
  EXPECT_EQ(check(at("x", kWrite, &a, 12, 16), at("y", kWrite, &a, 0, 16)), overlap);
  EXPECT_EQ(check(at("x", kWrite, &a, 8, kLargest), at("y", kWrite, &a, kLargest, 4)), overlap);
  EXPECT_EQ(check(at("x", kRead, &a, 0, 16), at("y", kRead, &a, 0, 16)), "");
  EXPECT_EQ(check(at("x", kRead, &a, 0, 16), at("y", kWrite, &a, 256, 16)), hazard);
  EXPECT_EQ(check(at("y", kWrite, &a, 0, 16), at("x", kRead, &a, 256, 16)), hazard);
  EXPECT_EQ(check(at("x", BindingAccess::kUniform, &a, 0, 16), at("y", kWrite, &a, 0, 16)), "");
}

TEST(Aliasing, ViewAliasNeedsEveryPairToBeTheSameView) {
  const int a = 0;
  ResolvedBinding views[] = {at("x", BindingAccess::kReadOnlyStorage, &a, 0, 16),
                             at("y", BindingAccess::kStorage, &a, 0, 16), at("z", BindingAccess::kStorage, &a, 16, 16)};
  const std::pair<std::uint32_t, std::uint32_t> same[] = {{0, 1}};
  const std::pair<std::uint32_t, std::uint32_t> not_all[] = {{0, 1}, {0, 2}};
  EXPECT_TRUE(is_view_alias_no_op(same, views));
  EXPECT_FALSE(is_view_alias_no_op(not_all, views));
  EXPECT_FALSE(is_view_alias_no_op({}, views));
  views[1].storage = DType::kUint32;
  EXPECT_FALSE(is_view_alias_no_op(same, views));
}

TEST(PipelineKey, DependsOnTextEntryAndLayout) {
  const PlanPass base = pass("a", "text", {read(0, 4), write(1, 4)});
  PlanPass same = pass("b", "text", {read(7, 8), write(9, 8)});
  EXPECT_EQ(pipeline_key(base), pipeline_key(same));
  PlanPass text = base;
  text.wgsl = "test";
  PlanPass moved = base;  // the same characters, cut elsewhere
  moved.entry_point = "maint";
  moved.wgsl = "ext";
  PlanPass access = base;
  access.bindings[0].access = BindingAccess::kStorage;
  PlanPass fewer = base;
  fewer.bindings.pop_back();
  for (const PlanPass& other : {text, moved, access, fewer}) EXPECT_NE(pipeline_key(base), pipeline_key(other));
}

TEST(TidyMessage, DropsTheFrameAndItsIndentation) {
  EXPECT_EQ(
      tidy_message("Validation Error\n\nCaused by:\n  In wgpuDeviceCreateBuffer\n    Not enough\n      memory\n\n"),
      "Not enough\n  memory");
  EXPECT_EQ(tidy_message("plain"), "plain");
  EXPECT_EQ(tidy_message(""), "");
}

TEST(DeviceFacts, UseWebGpuNames) {
  const WGPUFeatureName features[] = {WGPUFeatureName_ShaderF16, WGPUFeatureName_TimestampQuery,
                                      static_cast<WGPUFeatureName>(WGPUNativeFeature_Subgroup),
                                      static_cast<WGPUFeatureName>(WGPUNativeFeature_RayQuery)};
  EXPECT_THAT(feature_names(features), ElementsAre("shader-f16", "subgroups", "timestamp-query"));

  WGPULimits limits = WGPU_LIMITS_INIT;
  limits.maxBufferSize = 5;
  limits.minStorageBufferOffsetAlignment = 32;
  EXPECT_THAT(limit_values(limits),
              ElementsAre(std::pair<const std::string, std::uint64_t>("maxBufferSize", 5),
                          std::pair<const std::string, std::uint64_t>("minStorageBufferOffsetAlignment", 32)));

  WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
  info.vendorID = 0x10de;
  info.device = to_wgpu("NVIDIA X");
  info.backendType = WGPUBackendType_Vulkan;
  info.adapterType = WGPUAdapterType_DiscreteGPU;
  info.subgroupMinSize = 32;
  info.subgroupMaxSize = 0;
  const AdapterInfo adapter = adapter_info(info);
  EXPECT_EQ(adapter.vendor, "nvidia");
  EXPECT_EQ(adapter.device, "NVIDIA X");
  EXPECT_EQ(adapter.backend, "vulkan");
  EXPECT_EQ(adapter.subgroup_min_size, 32U);
  EXPECT_EQ(adapter.subgroup_max_size, std::nullopt);
  EXPECT_FALSE(adapter.is_fallback_adapter);
}

TEST(AdapterFits, KindAndName) {
  AdapterFacts gpu;
  gpu.type = WGPUAdapterType_DiscreteGPU;
  gpu.profile.adapter.device = "NVIDIA H200";
  AdapterFacts software;
  software.type = WGPUAdapterType_CPU;
  EXPECT_TRUE(adapter_fits(gpu, DeviceKind::kGpu, "h200"));
  EXPECT_FALSE(adapter_fits(gpu, DeviceKind::kGpu, "h100"));
  EXPECT_FALSE(adapter_fits(gpu, DeviceKind::kSoftware, ""));
  EXPECT_TRUE(adapter_fits(gpu, DeviceKind::kAuto, ""));
  EXPECT_FALSE(adapter_fits(software, DeviceKind::kGpu, ""));
  EXPECT_TRUE(adapter_fits(software, DeviceKind::kSoftware, ""));
  EXPECT_TRUE(adapter_fits(software, DeviceKind::kAuto, ""));
}

}  // namespace
}  // namespace wgk::gpu::testing
