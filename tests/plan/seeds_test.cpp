// The worked examples of package-format sections 8, 12 and 14, with their exact bytes and texts.
#include <gtest/gtest.h>

#include "plan_fixture.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

#define WGK_REQUIRE_SEED(package) \
  if ((package) == nullptr) GTEST_SKIP() << "the seeds are not there"

Plan planned(const PackagePtr& package, const PlanRequest& request, const DeviceProfile& profile) {
  auto plan = make_plan(*package, request, profile);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return plan.ok() ? *std::move(plan) : Plan{};
}

TEST(SeedPlan, RotarySelectsDeclaresPacksAndDispatches) {
  const PackagePtr package = rotary();
  WGK_REQUIRE_SEED(package);
  const Plan plan = planned(package, rotary_request(), DeviceProfile::webgpu_defaults());
  EXPECT_EQ(plan.variant, "rank3_cache2_pos");
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.passes[0].wgsl,
            "struct Params { pairCount: u32, sequenceLength: u32, numHeads: u32, headSize: u32, rotaryDim: u32, "
            "halfRotaryDim: u32, _pad0: u32, _pad1: u32 };\n"
            "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
            "@group(0) @binding(1) var<storage, read> cos_cache: array<f32>;\n"
            "@group(0) @binding(2) var<storage, read> sin_cache: array<f32>;\n"
            "@group(0) @binding(3) var<storage, read> position_ids: array<u32>;\n"
            "@group(0) @binding(4) var<storage, read_write> y: array<f32>;\n"
            "@group(0) @binding(5) var<uniform> params: Params;\n"
            "@compute @workgroup_size(1)\nfn main() {}");
  ASSERT_EQ(plan.uniforms.size(), 1u);
  EXPECT_EQ(hex_words(plan.uniforms[0].bytes),
            "20000000 04000000 02000000 08000000 08000000 04000000 00000000 00000000");
  EXPECT_EQ(plan.passes[0].workgroups, (std::array<std::uint32_t, 3>{1, 1, 1}));
  ASSERT_EQ(plan.tensors.size(), 5u);
  EXPECT_EQ(plan.tensors[3].format, (StorageFormat{DType::kInt64, DType::kUint32, false, false}));
  EXPECT_EQ(plan.tensors[4].shape, (Shape{1, 4, 16}));
  EXPECT_EQ(plan.tensors[4].storage_bytes, 256u);
}

TEST(SeedPlan, RotaryTemplateSeesWhatTheDocumentSays) {
  const auto manifest = read_seed("000_");
  if (!manifest) GTEST_SKIP() << "the seeds are not there";
  const PackagePtr package =
      load(*manifest, {{"rotary-embedding.wgsl.jinja",
                        "{{ interleaved }} {{ usesF16 }} {{ scalar }} {{ T }} {{ M }} {{ source.rank }} "
                        "{{ source.hasPositionIds }} {{ tunables.WORKGROUP_SIZE }} {{ rank3HeadSize }}"}});
  const Plan plan = planned(package, rotary_request(), DeviceProfile::webgpu_defaults());
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.passes[0].wgsl, "false false f32 f32 u32 3 true 256 8");
}

TEST(SeedPlan, RotaryWithoutHeadsNamesEveryRejection) {
  const PackagePtr package = rotary();
  WGK_REQUIRE_SEED(package);
  PlanRequest request = rotary_request();
  request.attributes.clear();
  const auto plan = make_plan(*package, request, DeviceProfile::webgpu_defaults());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message,
            "No supported WebGPU variant for ai.onnx.RotaryEmbedding; rejected rank3_cache2_pos: when clause failed: "
            "`rank3PosContract` → false; rank4_cache2_pos: when clause failed: `rank4PosContract` → false; "
            "rank3_cache3: when clause failed: `rank3Contract` → false; rank4_cache3: when clause failed: "
            "`rank4Contract` → false");
}

TEST(SeedPlan, MRotaryUniformBytes) {
  const PackagePtr package = mrotary();
  WGK_REQUIRE_SEED(package);
  const Plan plan = planned(package, mrotary_request(), DeviceProfile::webgpu_defaults());
  EXPECT_EQ(plan.variant, "rank3");
  ASSERT_EQ(plan.uniforms.size(), 1u);
  EXPECT_EQ(hex_words(plan.uniforms[0].bytes),
            "20000000 01000000 04000000 02000000 08000000 08000000 04000000 02000000 01000000 01000000 0000803f "
            "00000000");
}

TEST(SeedPlan, GemmaPrefersTheVectorVariant) {
  const PackagePtr package = gemma();
  WGK_REQUIRE_SEED(package);
  const Plan plan = planned(package, gemma_request(), f16_profile());
  EXPECT_EQ(plan.variant, "vec4");
  ASSERT_EQ(plan.uniforms.size(), 1u);
  EXPECT_EQ(hex_words(plan.uniforms[0].bytes), "0c000000 06000000 0c000000 00000000");
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.passes[0].wgsl.rfind("enable f16;\n", 0), 0u);
  EXPECT_EQ(plan.passes[0].bindings[1].element_align, 8u);
  ASSERT_EQ(plan.decisions.size(), 2u);
  EXPECT_EQ(plan.decisions[0].outcome, VariantDecision::Outcome::kSelected);
  EXPECT_EQ(plan.decisions[1].outcome, VariantDecision::Outcome::kEligible);
}

TEST(SeedPlan, GemmaNeedsF16) {
  const PackagePtr package = gemma();
  WGK_REQUIRE_SEED(package);
  const auto plan = make_plan(*package, gemma_request(), DeviceProfile::webgpu_defaults());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message,
            "No supported WebGPU variant for com.microsoft.GemmaRotaryEmbedding; rejected vec4: requires "
            "device.features.has(\"shader-f16\"); scalar: requires device.features.has(\"shader-f16\")");
}

TEST(SeedPlan, WithoutExplainTheRestIsNotTried) {
  const PackagePtr package = gemma();
  WGK_REQUIRE_SEED(package);
  const auto plan = make_plan(*package, gemma_request(), f16_profile(), PlanOptions{false});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->decisions[1].outcome, VariantDecision::Outcome::kNotTried);
  const Plan explained = planned(package, gemma_request(), f16_profile());
  EXPECT_EQ(plan->passes, explained.passes);
}

TEST(SeedPlan, EmptyOutputPlansButDispatchesNothing) {
  const PackagePtr package = gemma();
  WGK_REQUIRE_SEED(package);
  PlanRequest request = gemma_request();
  request.inputs["embT"].shape = {0, 3, 8};
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) request.inputs[key].shape = {0, 2, 3, 8};
  const Plan plan = planned(package, request, f16_profile());
  EXPECT_TRUE(plan.empty);
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.passes[0].workgroups, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(hex_words(plan.uniforms[0].bytes), "00000000 00000000 00000000 00000000");
  EXPECT_EQ(plan.passes[0].bindings[0].size_bytes, 4u);
}

TEST(SeedPlan, PlanningTwiceGivesTheSameText) {
  const PackagePtr package = rotary();
  WGK_REQUIRE_SEED(package);
  const Plan first = planned(package, rotary_request(), lavapipe_profile());
  const Plan second = planned(package, rotary_request(), lavapipe_profile());
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.to_json(), second.to_json());
}

TEST(SeedPlan, DtypeErrors) {
  const PackagePtr package = rotary();
  WGK_REQUIRE_SEED(package);
  struct Case {
    const char* key;
    DType dtype;
    const char* message;
  };
  const Case cases[] = {
      {"x", DType::kInt64, "tensor \"x\" does not admit int64"},
      {"x", DType::kInt32,
       "ai.onnx.RotaryEmbedding: input \"x\" has dtype int32, not allowed by type constraint T = [float32, float16]"},
      {"cos", DType::kFloat16,
       "ai.onnx.RotaryEmbedding: input \"cos\" resolves to logical dtype float16, but shared type variable T already "
       "resolved to float32 from \"x\""},
      {"positionIds", DType::kInt32,
       "ai.onnx.RotaryEmbedding: input \"positionIds\" has WebGPU storage dtype int32, not the declared uint32 storage "
       "ABI"},
  };
  for (const Case& c : cases) {
    PlanRequest request = rotary_request();
    request.inputs[c.key].dtype = c.dtype;
    const auto plan = make_plan(*package, request, f16_profile());
    ASSERT_FALSE(plan.ok()) << c.message;
    EXPECT_EQ(plan.error().message, c.message);
    EXPECT_EQ(plan.error().code, ErrorCode::kRequest);
  }
}

TEST(SeedPlan, RequestErrors) {
  const PackagePtr package = rotary();
  WGK_REQUIRE_SEED(package);
  struct Case {
    void (*change)(PlanRequest&);
    const char* message;
  };
  const Case cases[] = {
      {[](PlanRequest& r) { r.inputs.erase("cos"); }, "WebGPU op ai.onnx.RotaryEmbedding missing required arg cos"},
      {[](PlanRequest& r) { r.inputs["X"] = {}; }, "ai.onnx.RotaryEmbedding: \"X\" is not a tensor arg of this op"},
      {[](PlanRequest& r) { r.args.emplace("k", 1); },
       "ai.onnx.RotaryEmbedding: unknown arg \"k\" — not declared in manifest.args (known: cos, positionIds, sin, x, "
       "y)"},
      {[](PlanRequest& r) { r.attributes.emplace("heads", 1); },
       "WebGPU op ai.onnx.RotaryEmbedding: unknown attribute \"heads\" — not declared by the manifest (known: "
       "interleaved, num_heads, rotary_embedding_dim)"},
      {[](PlanRequest& r) { r.attributes.insert_or_assign("interleaved", 2); },
       "WebGPU op ai.onnx.RotaryEmbedding attribute interleaved must be one of [0, 1], got 2"},
      {[](PlanRequest& r) { r.attributes.insert_or_assign("interleaved", true); },
       "WebGPU op ai.onnx.RotaryEmbedding attribute interleaved must be one of [0, 1], got true"},
      {[](PlanRequest& r) { r.variant = "nope"; }, "WebGPU op ai.onnx.RotaryEmbedding has no variant nope"},
      {[](PlanRequest& r) { r.variant = "rank4_cache3"; },
       "No supported WebGPU variant for ai.onnx.RotaryEmbedding; rejected rank4_cache3: when clause failed: "
       "`rank4Contract` → false"},
      {[](PlanRequest& r) {
         r.inputs["x"].shape = {-1, 4, 16};
       },
       "ai.onnx.RotaryEmbedding: tensor \"x\" shape is out of range"},
      {[](PlanRequest& r) {
         r.outputs["y"] = {DType::kFloat32, {1, 4, 8}};
       },
       "ai.onnx.RotaryEmbedding: output \"y\" has shape [1,4,8], not the inferred shape [1,4,16]"},
      {[](PlanRequest& r) {
         r.inputs["x"].shape = {1, 40000000, 16};
       },
       "ai.onnx.RotaryEmbedding: tensor \"x\" needs 2560000000 bytes; the device allows 268435456 (maxBufferSize)"},
  };
  for (const Case& c : cases) {
    PlanRequest request = rotary_request();
    c.change(request);
    const auto plan = make_plan(*package, request, DeviceProfile::webgpu_defaults());
    ASSERT_FALSE(plan.ok()) << c.message;
    EXPECT_EQ(plan.error().message, c.message);
  }
}

TEST(SeedPlan, MissingRequiredAttribute) {
  const PackagePtr package = mrotary();
  WGK_REQUIRE_SEED(package);
  PlanRequest request = mrotary_request();
  request.attributes.erase("mrope_section");
  const auto plan = make_plan(*package, request, DeviceProfile::webgpu_defaults());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message, "WebGPU op com.microsoft.MRotaryEmbedding missing required attribute mrope_section");
}

TEST(SeedPlan, StorageBindingLimit) {
  const PackagePtr package = rotary();
  WGK_REQUIRE_SEED(package);
  PlanRequest request = rotary_request();
  request.inputs["x"].shape = {1, 2621440, 16};
  request.inputs["positionIds"].shape = {1, 2621440};
  const auto plan = make_plan(*package, request, DeviceProfile::webgpu_defaults());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message,
            "ai.onnx.RotaryEmbedding: tensor \"x\" needs 167772160 bytes; the device allows 134217728 "
            "(maxStorageBufferBindingSize)");
}

}  // namespace
}  // namespace wgk::plan
