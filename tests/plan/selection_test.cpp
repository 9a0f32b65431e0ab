// Selection (package-format section 12) row by row: requirements, buffers, guards, demotion, superseding, pinning.
#include <gtest/gtest.h>

#include "small_manifest.h"

namespace wgk::plan {
namespace {

using namespace testing_support;
using Outcome = VariantDecision::Outcome;

constexpr const char* kPasses =
    R"("passes": [{"id": "p", "shader": "a.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}}])";

PackagePtr with_variants(const std::vector<std::string>& variants) {
  std::string list;
  for (const std::string& variant : variants) list += (list.empty() ? "{" : ", {") + variant + ", " + kPasses + "}";
  return load(R"({"name": "Op", "inputs": {"x": {"dtype": "float32"}},
    "outputs": {"y": {"dtype": "float32", "shape": "shapes.x"}}, "attributes": {"n": {"default": 1}},
    "variants": [)" +
                  list + "]}",
              {{"a.wgsl.jinja", "{{ tunables.A }}"}});
}

/// Expressions see names of adapters in lower case (package-format 6.8), whatever a profile file spells.
TEST(Selection, AdapterNamesAreLowerCase) {
  const PackagePtr package = with_variants(
      {R"("id": "v", "when": ["device.adapterInfo.vendor == 'acme'", "device.adapterInfo.architecture == 'x-1'"])"});
  ASSERT_NE(package, nullptr);
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.adapter.vendor = "ACME";
  profile.adapter.architecture = "X-1";
  EXPECT_EQ(message(make_plan(*package, x_request(), profile)), "");
}

struct RequiresCase {
  const char* requires_;
  void (*change)(DeviceProfile&);
  const char* reason;
};

TEST(Selection, Requirements) {
  const auto nothing = [](DeviceProfile&) {};
  const auto sizes = [](DeviceProfile& profile) { profile.adapter.subgroup_min_size = 4; };
  const auto configs = [](DeviceProfile& profile) {
    profile.adapter.subgroup_matrix_configs = {{"f16", "f16", 8, 8, 8}, {"f32", "f32", 8, 8, 4}};
  };
  const auto none = [](DeviceProfile& profile) { profile.adapter.subgroup_matrix_configs.emplace(); };
  const RequiresCase cases[] = {
      {R"("features": ["shader-f16"])", nothing, "requires device.features.has(\"shader-f16\")"},
      {R"("features": ["shader-f16"])", [](DeviceProfile& profile) { profile.features.insert("shader-f16"); }, ""},
      {R"("limits": {"maxComputeInvocationsPerWorkgroup": 257})", nothing,
       "requires device.limits.maxComputeInvocationsPerWorkgroup >= 257"},
      {R"("limits": {"maxComputeInvocationsPerWorkgroup": 256})", nothing, ""},
      {R"("limits": {"maxBufferSize": 1})", [](DeviceProfile& profile) { profile.limits.erase("maxBufferSize"); },
       "requires device.limits.maxBufferSize >= 1"},
      {R"("subgroupMinSize": 8)", nothing,
       "requires adapterInfo.subgroupMinSize >= 8 (adapter does not report subgroup sizes)"},
      {R"("subgroupMinSize": 8)", sizes, "requires adapterInfo.subgroupMinSize >= 8"},
      {R"("subgroupMinSize": 4)", sizes, ""},
      // Checked only when the adapter reports configurations; an empty list is a report.
      {R"("subgroupMatrixConfigs": [{"componentType": "f16", "M": 16}])", nothing, ""},
      {R"("subgroupMatrixConfigs": [{"componentType": "f16", "M": 8, "N": 8, "K": 8}])", configs, ""},
      {R"("subgroupMatrixConfigs": [{"componentType": "f16", "M": 16, "N": 8, "K": 8}, {"K": 2}])", configs,
       "requires adapterInfo.subgroupMatrixConfigs to match one of [f16-*-16x8x8, *-*-*x*x2] (device reports "
       "[f16-f16-8x8x8, f32-f32-8x8x4])"},
      {R"("subgroupMatrixConfigs": [{"componentType": "f32", "resultComponentType": "f16"}])", configs,
       "requires adapterInfo.subgroupMatrixConfigs to match one of [f32-f16-*x*x*] (device reports [f16-f16-8x8x8, "
       "f32-f32-8x8x4])"},
      {R"("subgroupMatrixConfigs": [{"componentType": "f16"}])", none,
       "requires adapterInfo.subgroupMatrixConfigs to match one of [f16-*-*x*x*] (device reports [])"},
  };
  for (const RequiresCase& c : cases) {
    const PackagePtr package = with_variants({std::string(R"("id": "v", "requires": {)") + c.requires_ + "}"});
    ASSERT_NE(package, nullptr);
    DeviceProfile profile = DeviceProfile::webgpu_defaults();
    c.change(profile);
    const std::string wanted =
        *c.reason == '\0' ? "" : std::string("No supported WebGPU variant for ai.onnx.Op; rejected v: ") + c.reason;
    EXPECT_EQ(message(make_plan(*package, x_request(), profile)), wanted) << c.requires_;
  }
}

TEST(Selection, BufferCounts) {
  SmallManifest manifest;
  manifest.variant = R"(, "intermediates": [{"id": "t", "dtype": "float32", "shape": 1}])";
  manifest.bindings = R"("x", "t", "y", {"name": "s", "struct": [{"name": "n", "type": "u32", "value": 1}]})";
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.limits["maxStorageBuffersPerShaderStage"] = 3;
  profile.limits["maxUniformBuffersPerShaderStage"] = 1;
  EXPECT_EQ(message(manifest.plan(x_request(), profile)), "");
  profile.limits["maxUniformBuffersPerShaderStage"] = 0;
  EXPECT_EQ(message(manifest.plan(x_request(), profile)),
            "No supported WebGPU variant for ai.onnx.Op; rejected v: needs 1 uniform buffers per shader stage, device "
            "allows 0 (maxUniformBuffersPerShaderStage)");
  profile.limits["maxStorageBuffersPerShaderStage"] = 2;
  EXPECT_EQ(message(manifest.plan(x_request(), profile)),
            "No supported WebGPU variant for ai.onnx.Op; rejected v: needs 3 storage buffers per shader stage, device "
            "allows 2 (maxStorageBuffersPerShaderStage)");
}

struct GuardCase {
  const char* when;
  const char* reason;
};

TEST(Selection, GuardsMustBeExactlyTrue) {
  const GuardCase cases[] = {
      {"\"true\"", ""},
      {"\"attrs.n == 1\"", ""},
      {"\"false\"", "when clause failed: `false` → false"},
      {"\"attrs.n\"", "when clause failed: `attrs.n` → 1"},
      {"\"'true'\"", "when clause failed: `'true'` → \"true\""},
      {"\"none\"", "when clause failed: `none` → null"},
      {"\"attrs.q\"", "when clause failed: `attrs.q` → undefined"},
      {"\"[true]\"", "when clause failed: `[true]` → [true]"},
      {"\"nope\"", "when eval error in `nope`: Unknown identifier \"nope\" in WebGPU expression: nope"},
      {"\"true\", \"attrs.n > 1\", \"nope\"", "when clause failed: `attrs.n > 1` → false"},
  };
  for (const GuardCase& c : cases) {
    const PackagePtr package = with_variants({std::string(R"("id": "v", "when": [)") + c.when + "]"});
    ASSERT_NE(package, nullptr);
    const std::string wanted =
        *c.reason == '\0' ? "" : std::string("No supported WebGPU variant for ai.onnx.Op; rejected v: ") + c.reason;
    EXPECT_EQ(message(make_plan(*package, x_request(), DeviceProfile::webgpu_defaults())), wanted) << c.when;
  }
}

TEST(Selection, GuardsSeeTheManifestsTunablesWithOverridesOnly) {
  const auto manifest = [](const std::string& when) {
    return load(R"({"name": "Op", "inputs": {"x": {"dtype": "float32"}}, "tunables": {"A": {"default": 1}},
      "outputs": {"y": {"dtype": "float32", "shape": "shapes.x"}}, "variants": [{"id": "v", "when": [")" +
                    when + R"("], "tunables": {"A": 2}, "derive": {"own": "true"}, )" + kPasses + "}]}",
                {{"a.wgsl.jinja", "{{ tunables.A }}"}});
  };
  const auto plan = make_plan(*manifest("tunables.A == 1"), x_request(), DeviceProfile::webgpu_defaults());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->passes[0].wgsl, "2");
  PlanRequest request = x_request();
  request.tunables.emplace("A", 5);
  const auto overridden = make_plan(*manifest("tunables.A == 5"), request, DeviceProfile::webgpu_defaults());
  ASSERT_TRUE(overridden.ok()) << overridden.error().message;
  EXPECT_EQ(overridden->passes[0].wgsl, "5");
  EXPECT_EQ(message(make_plan(*manifest("own"), x_request(), DeviceProfile::webgpu_defaults())),
            "No supported WebGPU variant for ai.onnx.Op; rejected v: when eval error in `own`: Unknown identifier "
            "\"own\" in WebGPU expression: own");
}

TEST(Selection, SelectAboveOfOldManifests) {
  const auto reason = [](const char* clause) {
    const PackagePtr package =
        load(std::string(R"({"name": "Op", "inputs": [{"role": "x", "dtype": "float32"}],
      "outputs": [{"role": "y", "dtype": "float32", "shape": "shapes.x"}],
      "args": {"x": {"kind": "tensor"}, "y": {"kind": "tensor", "role": "output"}},
      "variants": [{"id": "v", "selectAbove": ")") +
                 clause + R"(", "passes": [{"id": "main", "shader": "a.wgsl.jinja", "dispatch": {"x": 1}, "bindings": [
      {"name": "x", "arg": "x", "buffer": {"type": "read-only-storage"}, "elementType": "f32"}]}]}]})",
             {{"a.wgsl.jinja", "x"}});
    return message(make_plan(*package, x_request(), DeviceProfile::webgpu_defaults()));
  };
  const std::string rejected = "No supported WebGPU variant for ai.onnx.Op; rejected v: ";
  EXPECT_EQ(reason("numel(shapes.x) >= 4"), "");
  EXPECT_EQ(reason("numel(shapes.x) > 4"), rejected + "below perf floor: `numel(shapes.x) > 4` → false");
  EXPECT_EQ(reason("nope > 4"),
            rejected +
                "selectAbove eval error in `nope > 4`: Unknown identifier \"nope\" in WebGPU expression: "
                "nope > 4");
}

struct OutcomeCase {
  std::vector<std::string> variants;
  const char* pinned;
  const char* selected;  ///< or the error
  std::vector<Outcome> outcomes;
};

TEST(Selection, OrderDemotionSupersedingPinning) {
  const OutcomeCase cases[] = {
      // Priority, then declaration.
      {{R"("id": "a")", R"("id": "b", "priority": 1)", R"("id": "c", "priority": 1)"},
       "",
       "b",
       {Outcome::kSelected, Outcome::kEligible, Outcome::kEligible}},
      {{R"("id": "a", "priority": -1)", R"("id": "b")"}, "", "b", {Outcome::kSelected, Outcome::kEligible}},
      // A demoted variant waits for one that is not; the first demoted one is the last resort.
      {{R"("id": "a", "demoteWhen": ["true"])", R"("id": "b")"}, "", "b", {Outcome::kDemoted, Outcome::kSelected}},
      {{R"("id": "a", "demoteWhen": ["true"])", R"("id": "b", "demoteWhen": ["false", "true"])"},
       "",
       "a",
       {Outcome::kSelected, Outcome::kDemoted}},
      {{R"("id": "a", "demoteWhen": ["attrs.n"])"}, "", "a", {Outcome::kSelected}},  // 1 is not exactly true
      {{R"("id": "a", "demoteWhen": ["nope"])"},
       "",
       "No supported WebGPU variant for ai.onnx.Op; rejected a: demoteWhen eval error in `nope`: Unknown identifier "
       "\"nope\" in WebGPU expression: nope",
       {}},
      // Superseded only by a variant that passes undemoted.
      {{R"("id": "a")", R"("id": "b", "supersededBy": ["a"])"}, "", "a", {Outcome::kSelected, Outcome::kRejected}},
      {{R"("id": "a", "when": ["false"])", R"("id": "b", "supersededBy": ["a"])"},
       "",
       "b",
       {Outcome::kRejected, Outcome::kSelected}},
      {{R"("id": "a", "demoteWhen": ["true"])", R"("id": "b", "supersededBy": ["a"])"},
       "",
       "b",
       {Outcome::kDemoted, Outcome::kSelected}},
      // A pinned variant is the only candidate.
      {{R"("id": "a")", R"("id": "b")"}, "b", "b", {Outcome::kSelected}},
      {{R"("id": "a", "when": ["false"])", R"("id": "b")"},
       "a",
       "No supported WebGPU variant for ai.onnx.Op; rejected a: when clause failed: `false` → false",
       {}},
      {{R"("id": "a", "demoteWhen": ["true"])", R"("id": "b")"}, "a", "a", {Outcome::kSelected}},
      {{R"("id": "a")"}, "z", "WebGPU op ai.onnx.Op has no variant z", {}},
      // A broken expression makes its own variant unusable only.
      {{R"("id": "a", "when": ["1 +"])", R"("id": "b")"}, "", "b", {Outcome::kRejected, Outcome::kSelected}},
  };
  for (const OutcomeCase& c : cases) {
    const PackagePtr package = with_variants(c.variants);
    ASSERT_NE(package, nullptr);
    PlanRequest request = x_request();
    request.variant = c.pinned;
    const auto plan = make_plan(*package, request, DeviceProfile::webgpu_defaults());
    EXPECT_EQ(plan.ok() ? plan->variant : plan.error().message, c.selected);
    if (!plan.ok()) continue;
    std::vector<Outcome> outcomes;
    for (const VariantDecision& decision : plan->decisions) outcomes.push_back(decision.outcome);
    EXPECT_EQ(outcomes, c.outcomes) << c.selected;
  }
}

TEST(Selection, DefaultComesBeforePriority) {
  const auto variant = [](const char* head) {
    return std::string("{") + head + R"(, "passes": [{"id": "main", "shader": "a.wgsl.jinja", "dispatch": {"x": 1},
      "bindings": [{"name": "x", "arg": "x", "buffer": {"type": "read-only-storage"}, "elementType": "f32"}]}]})";
  };
  const PackagePtr package = load(R"({"name": "Op", "inputs": [{"role": "x", "dtype": "float32"}],
      "outputs": [{"role": "y", "dtype": "float32", "shape": "shapes.x"}],
      "args": {"x": {"kind": "tensor"}, "y": {"kind": "tensor", "role": "output"}},
      "variants": [)" + variant(R"("id": "a", "priority": 9)") +
                                      ", " + variant(R"("id": "b", "default": true)") + "]}",
                                  {{"a.wgsl.jinja", "x"}});
  ASSERT_NE(package, nullptr);
  const auto plan = make_plan(*package, x_request(), DeviceProfile::webgpu_defaults());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->variant, "b");
}

}  // namespace
}  // namespace wgk::plan
