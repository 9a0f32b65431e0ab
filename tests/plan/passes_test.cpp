// Dispatch forms, repeat groups, scratch, selection reasons and enable lines, on small manifests of both dialects.
#include <random>

#include <gtest/gtest.h>

#include "plan/enable_lines.h"
#include "plan/resources.h"
#include "plan_fixture.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

/// A 1.0 manifest of one pass that copies x to y.
PackagePtr legacy(const std::string& dispatch) {
  return load(R"({"name": "Op", "inputs": [{"role": "x", "dtype": "float32"}],
    "outputs": [{"role": "y", "dtype": "float32", "shape": "shapes.x"}],
    "args": {"x": {"kind": "tensor"}, "y": {"kind": "tensor", "role": "output"}},
    "attributes": {"n": 1, "k": 7},
    "variants": [{"id": "v", "passes": [{"id": "main", "shader": "a.wgsl.jinja", "dispatch": )" +
                  dispatch + R"(, "bindings": [
      {"name": "x", "arg": "x", "buffer": {"type": "read-only-storage"}, "elementType": "f32"},
      {"name": "y", "arg": "y", "buffer": {"type": "storage"}, "elementType": "f32"}]}]}]})",
              {{"a.wgsl.jinja", std::string(kTemplate)}});
}

/// A 2.1 manifest with the given variants.
PackagePtr modern(const std::string& variants, const std::string& shader = std::string(kTemplate)) {
  return load(R"({"name": "Op", "inputs": {"x": {"dtype": "float32"}},
    "outputs": {"y": {"dtype": "float32", "shape": "shapes.x"}},
    "attributes": {"n": {"default": 1}},
    "variants": )" +
                  variants + "}",
              {{"a.wgsl.jinja", shader}});
}

PlanRequest small_request(AttributeValue n = 1) {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat32, {4}}}};
  request.attributes.emplace("n", std::move(n));
  return request;
}

struct DispatchCase {
  const char* dispatch;
  std::int64_t n;
  std::array<std::uint32_t, 3> workgroups;
};

TEST(Dispatch, FoldsAsTheTableSays) {
  const DispatchCase cases[] = {
      {R"({"threads": "attrs.n", "workgroupSize": 256})", 0, {0, 0, 1}},
      {R"({"threads": "attrs.n", "workgroupSize": 256})", 16776960, {65535, 1, 1}},
      {R"({"threads": "attrs.n", "workgroupSize": 256})", 16776961, {65535, 2, 1}},
      {R"({"threads": "attrs.n", "workgroupSize": 256})", 20000000, {65535, 2, 1}},
      {R"({"gridStride": "attrs.n", "workgroupSize": 256})", 20000000, {65535, 1, 1}},
      {R"({"workgroups": "attrs.n", "x": 7})", 125000, {7, 65535, 2}},
      {R"({"workgroups": "attrs.n", "z": 7})", 125000, {65535, 2, 7}},
      {R"({"x": "attrs.n", "y": 2})", 3, {3, 2, 1}},
  };
  for (const DispatchCase& c : cases) {
    const PackagePtr package = legacy(c.dispatch);
    ASSERT_NE(package, nullptr);
    const auto plan = make_plan(*package, small_request(c.n), DeviceProfile::webgpu_defaults());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(plan->passes[0].workgroups, c.workgroups) << c.dispatch << " " << c.n;
  }
}

TEST(Dispatch, RefusesWhatIsNoCount) {
  struct Case {
    const char* dispatch;
    AttributeValue n;
    const char* message;
  };
  const Case cases[] = {
      {R"({"x": "attrs.n"})", 1.5, "WebGPU pass main dispatch axis 0 must resolve to a nonnegative integer, got 1.5"},
      {R"({"x": 1, "y": "attrs.n"})", -1,
       "WebGPU pass main dispatch axis 1 must resolve to a nonnegative integer, got -1"},
      {R"({"x": 1, "z": "attrs.q"})", 1,
       "WebGPU pass main dispatch axis 2 must resolve to a nonnegative integer, got undefined"},
      {R"({"threads": "attrs.n", "workgroupSize": 0})", 4,
       "WebGPU pass main dispatch axis 1 must resolve to a nonnegative integer, got Infinity"},
      {R"({"x": "attrs.n"})", 65536,
       "WebGPU pass main dispatch axis 0 = 65536 exceeds maxComputeWorkgroupsPerDimension (65535)"},
  };
  for (const Case& c : cases) {
    const PackagePtr package = legacy(c.dispatch);
    ASSERT_NE(package, nullptr);
    const auto plan = make_plan(*package, small_request(c.n), DeviceProfile::webgpu_defaults());
    ASSERT_FALSE(plan.ok()) << c.message;
    EXPECT_EQ(plan.error().message, c.message);
  }
}

constexpr const char* kRepeated = R"([{"id": "v",
  "intermediates": [{"id": "t", "dtype": "float32", "shape": "attrs.n"}],
  "passes": [{"id": "g", "repeat": {"index": "i", "count": "attrs.n"}, "passes": [
    {"id": "p", "shader": "a.wgsl.jinja", "bindings": ["x", "t"], "dispatch": {"x": "repeat.i"}}]},
   {"id": "last", "shader": "a.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}}]}])";

TEST(Repeat, ExpandsAndCounts) {
  const PackagePtr package = modern(kRepeated, "{{ repeat.index }}/{{ repeat.count }}/{{ repeat.i_count }}");
  ASSERT_NE(package, nullptr);
  const auto plan = make_plan(*package, small_request(2), DeviceProfile::webgpu_defaults());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->passes.size(), 3u);
  EXPECT_EQ(plan->passes[0].id, "g[0].p");
  EXPECT_TRUE(plan->passes[0].skipped());
  EXPECT_EQ(plan->passes[1].id, "g[1].p");
  EXPECT_EQ(plan->passes[1].wgsl, "1/2/2");
  EXPECT_EQ(plan->passes[2].wgsl, "//");
  ASSERT_EQ(plan->scratch.size(), 1u);
  EXPECT_EQ(plan->scratch[0].storage_bytes, 8u);
}

TEST(Repeat, ScratchOfSkippedPassesIsNotAllocated) {
  const PackagePtr package = modern(kRepeated);
  ASSERT_NE(package, nullptr);
  const auto plan = make_plan(*package, small_request(1), DeviceProfile::webgpu_defaults());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->scratch.empty());
  EXPECT_EQ(plan->passes[0].bindings[1].index, PlanBinding::kNotAllocated);
}

TEST(Repeat, BoundsCountAndInstances) {
  const PackagePtr package = modern(kRepeated);
  ASSERT_NE(package, nullptr);
  const auto message = [&](AttributeValue n) {
    const auto plan = make_plan(*package, small_request(std::move(n)), DeviceProfile::webgpu_defaults());
    return plan.ok() ? std::string() : plan.error().message;
  };
  EXPECT_EQ(message(70000), "WebGPU repeat group g count must resolve to an integer in [0, 65535], got 70000");
  EXPECT_EQ(message(-1), "WebGPU scratch t shape dimension must be a nonnegative integer, got -1");
  EXPECT_EQ(message(5000), "WebGPU op ai.onnx.Op variant v: too many pass instances (4097; the limit is 4096)");
}

TEST(Select, EveryReason) {
  const std::string passes =
      R"("passes": [{"id": "p", "shader": "a.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}}]})";
  const PackagePtr package = modern(
      R"([{"id": "a", "priority": 9, "requires": {"features": ["subgroups"]}, )" + passes +
      R"(, {"id": "b", "priority": 8, "requires": {"limits": {"maxBufferSize": 999999999999}}, )" + passes +
      R"(, {"id": "c", "priority": 7, "requires": {"subgroupMinSize": 8}, )" + passes +
      R"(, {"id": "d", "priority": 6, "when": ["attrs.q"], )" + passes +
      R"(, {"id": "e", "priority": 5, "when": ["attrs.q + 1 == 2"], )" + passes +
      R"(, {"id": "f", "priority": 4, "demoteWhen": ["attrs.n == 1"], )" + passes + R"(, {"id": "h", "priority": 3, )" +
      passes + R"(, {"id": "i", "priority": 2, "supersededBy": ["h"], )" + passes + "]");
  ASSERT_NE(package, nullptr);
  const auto plan = make_plan(*package, small_request(), DeviceProfile::webgpu_defaults());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->variant, "h");
  const char* reasons[] = {
      "requires device.features.has(\"subgroups\")",
      "requires device.limits.maxBufferSize >= 999999999999",
      "requires adapterInfo.subgroupMinSize >= 8 (adapter does not report subgroup sizes)",
      "when clause failed: `attrs.q` → undefined",
      "when eval error in `attrs.q + 1 == 2`: Cannot perform operation + on undefined values at column 9",
      "demoted: `attrs.n == 1` → true",
      "",
      "superseded by `h`, which is eligible here and takes precedence"};
  ASSERT_EQ(plan->decisions.size(), std::size(reasons));
  for (std::size_t i = 0; i < std::size(reasons); ++i) EXPECT_EQ(plan->decisions[i].reason, reasons[i]);
}

TEST(EnableLines, ScansWordsNotComments) {
  struct Case {
    const char* wgsl;
    std::vector<std::string> missing;
  };
  const Case cases[] = {
      {"var a: f16;", {"f16"}},
      {"enable f16; var a: f16;", {}},
      {"// f16\n/* a /* f16 */ f16 */ var a: f32;", {}},
      {"let a = 1.0h;", {"f16"}},
      {"let a = 0x1p-3h;", {"f16"}},
      {"let xf16 = 1; let f16x = 2; let depth = 3;", {}},
      {"let a = subgroupAdd(1);", {"subgroups"}},
      {"let a = subgroupAddMine(1); let subgroupAdd = 2;", {}},
      {"fn f(@builtin(subgroup_size) s: u32) {}", {"subgroups"}},
      {"@subgroup_size(32) fn f() { let a = 1h; quadSwapX(a); }", {"f16", "subgroups", "subgroup_size_control"}},
      {"enable subgroups, f16;\nlet a = 1h + subgroupMax(1);", {}},
  };
  for (const Case& c : cases) EXPECT_EQ(scan_extensions(c.wgsl).missing, c.missing) << c.wgsl;
  EXPECT_EQ(add_enable_lines("x", {"f16", "subgroups"}), "enable f16;\nenable subgroups;\nx");
}

TEST(EnableLines, DeviceWithoutTheFeatureIsNamed) {
  const PackagePtr package = modern(
      R"([{"id": "v", "passes": [{"id": "p", "shader": "a.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}}]}])",
      "var a: f16;");
  ASSERT_NE(package, nullptr);
  const auto plan = make_plan(*package, small_request(), DeviceProfile::webgpu_defaults());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message,
            "WebGPU op ai.onnx.Op variant v pass p rendered WGSL enable directives the device does not support: enable "
            "f16; (requires device feature \"shader-f16\")");
}

TEST(Resources, ElementStrides) {
  EXPECT_EQ(element_stride("f16"), 2u);
  EXPECT_EQ(element_stride("atomic<u32>"), 4u);
  EXPECT_EQ(element_stride("vec3<f32>"), 16u);
  EXPECT_EQ(element_stride("vec4<f16>"), 8u);
  EXPECT_EQ(element_stride("vec2<u32>"), 8u);
  EXPECT_FALSE(element_stride("Thing").has_value());
}

TEST(RandomPlans, AreErrorsOrKeepTheInvariants) {
  const PackagePtr package = modern(kRepeated);
  ASSERT_NE(package, nullptr);
  const unsigned seed = 20261130;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    PlanRequest request = small_request(static_cast<std::int64_t>(random() % 12) - 1);
    Shape shape;
    for (unsigned i = random() % 4; i > 0; --i) shape.push_back(static_cast<std::int64_t>(random() % 70000) - 1);
    request.inputs["x"].shape = shape;
    const auto plan = make_plan(*package, request, DeviceProfile::webgpu_defaults());
    if (!plan.ok()) continue;
    for (const PlanPass& pass : plan->passes) {
      for (const std::uint32_t axis : pass.workgroups) EXPECT_LE(axis, 65535u);
      for (const PlanBinding& binding : pass.bindings) {
        EXPECT_EQ(binding.size_bytes % 4, 0u);
        EXPECT_GE(binding.size_bytes, 4u);
        if (pass.skipped()) continue;
        const std::size_t count =
            binding.source == PlanBinding::Source::kTensor ? plan->tensors.size() : plan->scratch.size();
        EXPECT_LT(binding.index, count);
      }
    }
  }
}

}  // namespace
}  // namespace wgk::plan
