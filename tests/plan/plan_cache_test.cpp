// The plan cache: a pure memo, bounded, and with a key that no input can escape.
#include "plan/plan_cache.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "plan/plan_key.h"
#include "small_manifest.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

/// A call in which every member of request and profile has something to change.
struct Call {
  PlanRequest request;
  DeviceProfile profile = f16_profile();
  PlanOptions options;

  Call() {
    request.inputs = {{"x", {DType::kFloat32, {4, 5}}}, {"z", {DType::kFloat32, {2}}}};
    request.outputs = {{"y", {DType::kFloat32, {4, 5}}}};
    request.attributes = {{"a", 1}, {"l", AttributeValue::List{1, 2}}};
    request.args = {{"s", 2}};
    request.tunables = {{"T", 3}};
    request.variant = "v";
    request.wanted_outputs = {"y"};
    profile.wgsl_language_features = {"packed_4x8_integer_dot_product"};
    profile.adapter.subgroup_min_size = 4;
    profile.adapter.subgroup_matrix_configs = {{"f16", "f32", 8, 8, 8}};
  }
};

using Change = void (*)(Call&);

TEST(PlanKey, DiffersWhenAnyInputDiffers) {
  const Change changes[] = {
      [](Call&) {},
      [](Call& c) { c.request.inputs["x"].dtype = DType::kFloat16; },
      [](Call& c) {
        c.request.inputs["x"].shape = {5, 4};
      },
      [](Call& c) { c.request.inputs["x"].shape = {4}; },
      [](Call& c) {
        c.request.inputs["x"].shape = {4, 5, 1};
      },
      [](Call& c) { c.request.inputs["x"].shape = {}; },
      [](Call& c) { c.request.inputs.erase("z"); },
      [](Call& c) {
        c.request.inputs["w"] = {DType::kFloat32, {2}};
      },
      [](Call& c) {
        c.request.inputs.erase("z");
        c.request.outputs["z"] = {DType::kFloat32, {2}};
      },
      [](Call& c) { c.request.outputs.clear(); },
      [](Call& c) { c.request.outputs["y"].shape = {20}; },
      [](Call& c) { c.request.attributes.insert_or_assign("a", 2); },
      [](Call& c) { c.request.attributes.insert_or_assign("a", 1.5); },
      [](Call& c) { c.request.attributes.insert_or_assign("a", true); },
      [](Call& c) { c.request.attributes.insert_or_assign("a", "1"); },
      [](Call& c) { c.request.attributes.insert_or_assign("a", AttributeValue::List{1}); },
      [](Call& c) { c.request.attributes.erase("a"); },
      [](Call& c) { c.request.attributes.emplace("b", 1); },
      [](Call& c) {
        c.request.attributes.insert_or_assign("l", AttributeValue::List{2, 1});
      },
      [](Call& c) {
        c.request.attributes.insert_or_assign("l", AttributeValue::List{1, 2, 0});
      },
      [](Call& c) {
        c.request.attributes.insert_or_assign("l", AttributeValue::List{1, 2.5});
      },
      [](Call& c) { c.request.attributes.insert_or_assign("l", AttributeValue::List{}); },
      [](Call& c) { c.request.args.insert_or_assign("s", 3); },
      [](Call& c) { c.request.args.clear(); },
      [](Call& c) { std::swap(c.request.args, c.request.attributes); },
      [](Call& c) { c.request.tunables.insert_or_assign("T", 4); },
      [](Call& c) { c.request.tunables.clear(); },
      [](Call& c) { c.request.variant = ""; },
      [](Call& c) { c.request.variant = "w"; },
      [](Call& c) { c.request.wanted_outputs = {}; },
      [](Call& c) { c.request.wanted_outputs = {"z"}; },
      [](Call& c) {
        c.request.wanted_outputs = {"y", "z"};
      },
      [](Call& c) { c.options.explain_all = false; },
      [](Call& c) { c.profile.features.clear(); },
      [](Call& c) { c.profile.features.insert("subgroups"); },
      [](Call& c) { c.profile.wgsl_language_features.clear(); },
      [](Call& c) { std::swap(c.profile.wgsl_language_features, c.profile.features); },
      [](Call& c) { c.profile.limits["maxBufferSize"] += 1; },
      [](Call& c) { c.profile.limits.erase("maxBufferSize"); },
      [](Call& c) { c.profile.limits["maxNew"] = 1; },
      [](Call& c) { c.profile.adapter.vendor = "mesa"; },
      [](Call& c) { c.profile.adapter.architecture = "mesa"; },
      [](Call& c) { c.profile.adapter.device = "mesa"; },
      [](Call& c) { c.profile.adapter.description = "mesa"; },
      [](Call& c) { c.profile.adapter.backend = "mesa"; },
      [](Call& c) { c.profile.adapter.subgroup_min_size = 8; },
      [](Call& c) { c.profile.adapter.subgroup_min_size.reset(); },
      [](Call& c) { c.profile.adapter.subgroup_max_size = 4; },
      [](Call& c) { std::swap(c.profile.adapter.subgroup_min_size, c.profile.adapter.subgroup_max_size); },
      [](Call& c) { c.profile.adapter.is_fallback_adapter = true; },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs.reset(); },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs->clear(); },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs->front().component_type = "f32"; },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs->front().result_component_type = "f16"; },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs->front().m = 9; },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs->front().n = 9; },
      [](Call& c) { c.profile.adapter.subgroup_matrix_configs->front().k = 9; },
  };
  const PackagePtr package = SmallManifest().load();
  const PackagePtr twin = SmallManifest().load();
  std::set<std::string> keys;
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    Call call, again;
    changes[i](call);
    changes[i](again);
    const std::string key = plan_key(*package, call.request, call.profile, call.options);
    EXPECT_TRUE(keys.insert(key).second) << "change " << i << " has the key of an earlier one";
    EXPECT_EQ(key, plan_key(*package, again.request, again.profile, again.options)) << "change " << i;
  }
  const Call call;
  EXPECT_TRUE(keys.insert(plan_key(*twin, call.request, call.profile, call.options)).second);
}

TEST(PlanKey, NeighbouringTextsDoNotRunTogether) {
  const PackagePtr package = SmallManifest().load();
  const auto key = [&](std::vector<std::string> wanted) {
    PlanRequest request;
    request.wanted_outputs = std::move(wanted);
    return plan_key(*package, request, DeviceProfile(), {});
  };
  EXPECT_NE(key({"ab", "c"}), key({"a", "bc"}));
  EXPECT_NE(key({"abc"}), key({"ab", "c"}));
  EXPECT_NE(key({""}), key({}));
}

TEST(PlanCache, GivesWhatThePlannerGivesAndKeepsIt) {
  const PackagePtr package = SmallManifest().load();
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  PlanCache cache;
  const auto first = cache.plan(package, x_request(), profile);
  const auto second = cache.plan(package, x_request(), profile);
  const auto other = cache.plan(package, x_request({5}), profile);
  const auto fresh = make_plan(*package, x_request(), profile);
  ASSERT_TRUE(first.ok() && second.ok() && other.ok() && fresh.ok());
  EXPECT_EQ(first->get(), second->get());
  EXPECT_EQ(**first, *fresh);
  EXPECT_NE(first->get(), other->get());
  EXPECT_EQ((*other)->tensors[0].shape, (Shape{5}));
  EXPECT_EQ(cache.stats().hits, 1u);
  EXPECT_EQ(cache.stats().misses, 2u);
  EXPECT_EQ(cache.stats().plans, 2u);
}

TEST(PlanCache, ErrorsAreNotKept) {
  const PackagePtr package = SmallManifest().load();
  PlanCache cache;
  for (int i = 0; i < 2; ++i) {
    const auto plan = cache.plan(package, PlanRequest(), DeviceProfile::webgpu_defaults());
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().message, "WebGPU op ai.onnx.Op missing required arg x");
  }
  EXPECT_EQ(cache.stats().misses, 2u);
  EXPECT_EQ(cache.stats().plans, 0u);
}

TEST(PlanCache, TheLeastRecentlyUsedGoesFirst) {
  const PackagePtr package = SmallManifest().load();
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  PlanCache cache({.plans = 2});
  const auto hits_after = [&](std::int64_t size) {
    EXPECT_TRUE(cache.plan(package, x_request({size}), profile).ok());
    return cache.stats().hits;
  };
  EXPECT_EQ(hits_after(1), 0u);
  EXPECT_EQ(hits_after(2), 0u);
  EXPECT_EQ(hits_after(1), 1u);
  EXPECT_EQ(hits_after(3), 1u);  // 2 goes
  EXPECT_EQ(hits_after(1), 2u);
  EXPECT_EQ(hits_after(2), 2u);  // 3 goes
  EXPECT_EQ(hits_after(3), 2u);
  EXPECT_EQ(cache.stats().plans, 2u);
}

TEST(PlanCache, BytesAreBounded) {
  SmallManifest manifest;
  manifest.shader = std::string(10'000, ' ') + "x";
  const PackagePtr package = manifest.load();
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  PlanCache cache({.bytes = 35'000});
  for (std::int64_t i = 1; i <= 10; ++i) {
    ASSERT_TRUE(cache.plan(package, x_request({i}), profile).ok());
    EXPECT_LE(cache.stats().bytes, 35'000u);
  }
  EXPECT_GE(cache.stats().plans, 1u);
  EXPECT_LE(cache.stats().plans, 3u);
  PlanCache tiny({.bytes = 100});
  const auto plan = tiny.plan(package, x_request(), profile);
  ASSERT_TRUE(plan.ok());
  EXPECT_GE(plan_footprint(**plan), 10'001u);
  EXPECT_EQ(tiny.stats().plans, 0u);
  PlanCache off({.plans = 0});
  EXPECT_TRUE(off.plan(package, x_request(), profile).ok());
  EXPECT_EQ(off.stats().plans, 0u);
}

TEST(PlanCache, DoesNotKeepPackagesAlive) {
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  PlanCache cache;
  std::weak_ptr<const package::LoadedPackage> watched;
  std::shared_ptr<const Plan> kept;
  {
    const PackagePtr package = SmallManifest().load();
    watched = package;
    const auto plan = cache.plan(package, x_request(), profile);
    ASSERT_TRUE(plan.ok());
    kept = *plan;
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(kept->variant, "v");
}

/// An address can come back; the plan of the package that had it must not.
TEST(PlanCache, APackageAtAnOldAddressGetsItsOwnPlan) {
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  PlanCache cache;
  alignas(package::LoadedPackage) static std::byte place[sizeof(package::LoadedPackage)];
  for (const char* text : {"one", "two"}) {
    SmallManifest manifest;
    manifest.shader = text;
    const PackagePtr made = manifest.load();
    auto* same_place = new (place) package::LoadedPackage();
    same_place->manifest = made->manifest;
    same_place->templates.try_emplace("a.wgsl.jinja", std::string(text), "a.wgsl.jinja");
    const PackagePtr package(same_place, [](const package::LoadedPackage* old) { old->~LoadedPackage(); });
    const auto plan = cache.plan(package, x_request(), profile);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ((*plan)->passes[0].wgsl, text);
  }
  EXPECT_EQ(cache.stats().hits, 0u);
  EXPECT_EQ(cache.stats().plans, 1u);
}

TEST(PlanCache, ManyThreads) {
  const PackagePtr package = SmallManifest().load();
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  PlanCache cache({.plans = 3});
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::int64_t size = 1 + (i + static_cast<int>(t)) % 5;
        const auto plan = cache.plan(package, x_request({size}), profile);
        if (!plan.ok() || (*plan)->tensors[0].shape != Shape{size}) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::vector<int>(4)));
  EXPECT_EQ(cache.stats().hits + cache.stats().misses, 400u);
  EXPECT_LE(cache.stats().plans, 3u);
}

}  // namespace
}  // namespace wgk::plan
