// Tuning files: reading, writing, and which entry a call gets.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <wgk/bench.hpp>
#include <wgk/kernel.hpp>
#include <wgk/tuning.hpp>

#include "engine_support.h"

namespace wgk::test {
namespace {

const TuningAdapter kAdapter{"vendor", "device", "vulkan", "driver 1"};

TuningEntry entry_for(Shape shape, std::string variant) {
  TuningEntry entry;
  entry.adapter = kAdapter;
  entry.op = "test.Op";
  entry.inputs = {{"x", {DType::kFloat32, std::move(shape)}}};
  entry.attributes = {{"mode", 1}};
  entry.variant = std::move(variant);
  return entry;
}

PlanRequest request_for(Shape shape) {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat32, std::move(shape)}}};
  request.attributes = {{"mode", 1}};
  return request;
}

std::string found(const Tuning& tuning, const PlanRequest& request, const TuningAdapter& adapter = kAdapter) {
  const TuningEntry* entry = tuning.find(adapter, "test.Op", request);
  return entry == nullptr ? "" : entry->variant;
}

TEST(Tuning, FindsTheSameCallElseTheNearestOfItsKind) {
  Tuning tuning;
  tuning.set(entry_for({64, 128}, "small"));
  tuning.set(entry_for({1024, 128}, "large"));
  struct Row {
    Shape shape;
    std::string want;
  };
  const Row rows[] = {
      {{64, 128}, "small"},   {{1024, 128}, "large"}, {{16, 128}, "small"},  // 4 times smaller
      {{15, 128}, ""},                                                       // more than that
      {{4096, 128}, "large"},                                                // 4 times larger
      {{4097, 128}, ""},      {{255, 128}, "small"},                         // nearer to 64 than to 1024 in doublings
      {{257, 128}, "large"},  {{64, 64}, ""},                                // another last dimension
      {{64, 1, 128}, ""},                                                    // another rank
  };
  for (const Row& row : rows) EXPECT_EQ(found(tuning, request_for(row.shape)), row.want) << to_string(row.shape);
}

TEST(Tuning, AnEntryIsOfOneAdapterOperatorAndAttributes) {
  Tuning tuning;
  tuning.set(entry_for({64, 128}, "v"));
  const PlanRequest request = request_for({64, 128});
  EXPECT_EQ(found(tuning, request), "v");
  for (const TuningAdapter& other :
       {TuningAdapter{"other", "device", "vulkan", "driver 1"}, TuningAdapter{"vendor", "other", "vulkan", "driver 1"},
        TuningAdapter{"vendor", "device", "metal", "driver 1"},
        TuningAdapter{"vendor", "device", "vulkan", "driver 2"}}) {
    EXPECT_EQ(found(tuning, request, other), "");
  }
  EXPECT_EQ(tuning.find(kAdapter, "test.Other", request), nullptr);
  PlanRequest other = request;
  other.attributes = {{"mode", 2}};
  EXPECT_EQ(found(tuning, other), "");
  other = request;
  other.args = {{"n", 1}};
  EXPECT_EQ(found(tuning, other), "");
  other = request;
  other.inputs["x"].dtype = DType::kFloat16;
  EXPECT_EQ(found(tuning, other), "");
}

TEST(Tuning, IndicesAreTheSameInHostMemoryAndInBuffers) {
  Tuning tuning;
  TuningEntry entry = entry_for({64, 128}, "v");
  entry.inputs.emplace("ids", TensorSpec{DType::kInt64, {64}});
  tuning.set(entry);
  PlanRequest request = request_for({64, 128});
  request.inputs.emplace("ids", TensorSpec{DType::kUint32, {64}});
  EXPECT_EQ(found(tuning, request), "v");
}

TEST(Tuning, AppliesOnlyToCallsThatPinNothing) {
  Tuning tuning;
  TuningEntry entry = entry_for({64, 128}, "v");
  entry.tunables = {{"WG", 64}};
  tuning.set(entry);
  PlanRequest request = request_for({64, 128});
  EXPECT_TRUE(tuning.apply(kAdapter, "test.Op", request));
  EXPECT_EQ(request.variant, "v");
  EXPECT_EQ(request.tunables, entry.tunables);
  request = request_for({64, 128});
  request.variant = "mine";
  EXPECT_FALSE(tuning.apply(kAdapter, "test.Op", request));
  request = request_for({64, 128});
  request.tunables = {{"WG", 32}};
  EXPECT_FALSE(tuning.apply(kAdapter, "test.Op", request));
  EXPECT_EQ(request.tunables.at("WG"), AttributeValue(32));

  // "As selected" is an answer too: it keeps an entry of a neighbour from being used.
  tuning.set(entry_for({32, 128}, ""));
  request = request_for({32, 128});
  EXPECT_FALSE(tuning.apply(kAdapter, "test.Op", request));
}

TEST(Tuning, SetReplacesTheEntryOfTheSameCall) {
  Tuning tuning;
  tuning.set(entry_for({64, 128}, "old"));
  tuning.set(entry_for({64, 128}, "new"));
  ASSERT_EQ(tuning.entries().size(), 1u);
  EXPECT_EQ(tuning.entries()[0].variant, "new");
}

TEST(Tuning, ReadsBackWhatItWrote) {
  Tuning tuning;
  TuningEntry entry = entry_for({64, 128}, "v");
  entry.tunables = {{"WG", 64}, {"fast", true}, {"ratio", 0.5}, {"name", "x"}};
  entry.attributes = {{"sections", AttributeValue::List{16, 24, 24}}};
  entry.args = {{"n", 2}};
  entry.default_ns = 12.5;
  entry.tuned_ns = 10;
  tuning.set(entry);
  const std::string text = tuning.to_json();
  const auto again = Tuning::from_json(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->to_json(), text);
  EXPECT_EQ(again->entries()[0].tunables, entry.tunables);
  EXPECT_EQ(again->entries()[0].attributes, entry.attributes);
}

TEST(Tuning, SaysWhatIsWrongWithAFile) {
  struct Row {
    std::string text;
    std::string want;
  };
  const std::string adapter = R"("adapter":{"vendor":"","device":"","backend":"","driver":""})";
  const auto with = [&](const std::string& entry) { return R"({"version":1,"entries":[{)" + entry + "}]}"; };
  const Row rows[] = {
      {"", "does not parse"},
      {"[]", "/: must be an object"},
      {"{}", "/version: must be 1"},
      {R"({"version":2,"entries":[]})", "/version: must be 1"},
      {R"({"version":1})", "/entries: must be a list"},
      {R"({"version":1,"entires":[]})", "/entires: unknown member; did you mean entries"},
      {with(""), "/entries/0/adapter: is missing"},
      {with(R"("adapter":{"vendor":""})"), "/entries/0/adapter/device: must be a string"},
      {with(adapter), "/entries/0/op: must be a string"},
      {with(adapter + R"(,"op":"o")"), "/entries/0/inputs: must be an object"},
      {with(adapter + R"(,"op":"o","inputs":{"x":{"dtype":"float","shape":[]}})"),
       "/entries/0/inputs/x/dtype: \"float\" is not a dtype"},
      {with(adapter + R"(,"op":"o","inputs":{"x":{"dtype":"float32","shape":[-1]}})"),
       "/entries/0/inputs/x/shape: -1 is not a dimension"},
      {with(adapter + R"(,"op":"o","inputs":{"x":{"dtype":"float32","shape":[9007199254740993,9]}})"),
       "/entries/0/inputs/x/shape: is out of range"},
      {with(adapter + R"(,"op":"o","inputs":{},"tunables":{"WG":{}})"), "/entries/0/tunables/WG: must be a number"},
      {with(adapter + R"(,"op":"o","inputs":{})"), "/entries/0/variant: must be a string"},
      {with(adapter + R"(,"op":"o","inputs":{},"variant":"","defaultNs":-1,"tunedNs":1)"),
       "/entries/0/defaultNs: must be a number of nanoseconds"},
      {with(adapter + R"(,"variants":"v")"), "/entries/0/variants: unknown member; did you mean variant"},
  };
  for (const Row& row : rows) {
    const auto tuning = Tuning::from_json(row.text);
    ASSERT_FALSE(tuning.ok()) << row.text;
    EXPECT_EQ(tuning.error().code, ErrorCode::kUsage);
    EXPECT_NE(tuning.error().message.find(row.want), std::string::npos)
        << "got: " << tuning.error().message << "\nwant: " << row.want;
  }
}

TEST(Tuning, KnowsWhatAPackageDoesNotHave) {
  Tuning tuning;
  TuningEntry entry;
  entry.op = "ai.onnx.RotaryEmbedding";
  entry.variant = "gone";
  entry.tunables = {{"WORKGROUP_SIZE", 64}, {"OLD", 1}};
  tuning.set(entry);
  const auto remarks = tuning.stale(rope_package());
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_NE(remarks[0].find("no variant \"gone\""), std::string::npos) << remarks[0];
  EXPECT_NE(remarks[1].find("no tunable \"OLD\""), std::string::npos) << remarks[1];
}

TEST(VariantTunables, AreThoseOfTheManifestUnderThoseOfTheVariant) {
  const Package package = package_of({{"manifest.json", R"json({
  "domain": "test", "name": "Tuned",
  "inputs": {"x": {"onnx": "X", "dtype": "float32"}},
  "outputs": {"y": {"onnx": "Y", "dtype": "float32", "shape": "shapes.x"}},
  "tunables": {"WG": {"default": 64}, "K": {"default": 2}},
  "variants": [
    {"id": "a", "passes": [{"id": "main", "shader": "t.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}}]},
    {"id": "b", "tunables": {"WG": 128}, "passes": [{"id": "main", "shader": "t.wgsl.jinja", "bindings": ["x", "y"],
      "dispatch": {"x": 1}}]}]
})json"},
                                      {"t.wgsl.jinja", "{{ tunables.WG }}{{ tunables.K }}"}},
                                     "tuned");
  EXPECT_EQ(variant_tunables(package, "a"), (Attributes{{"K", 2}, {"WG", 64}}));
  EXPECT_EQ(variant_tunables(package, "b"), (Attributes{{"K", 2}, {"WG", 128}}));
  EXPECT_EQ(variant_tunables(package, "c"), Attributes{});
}

TEST(DeviceTuning, IsUsedByPlanPrepareAndCallsOnBuffers) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Package package = rope_package();
  CallSpec call;
  call.inputs = {{"x", {DType::kFloat32, {1, 2, 4, 8}}},
                 {"cos", {DType::kFloat32, {16, 4}}},
                 {"sin", {DType::kFloat32, {16, 4}}},
                 {"positionIds", {DType::kInt64, {1, 4}}}};
  const Kernel untuned(*software_device(), package);
  const std::string other = accepting_variants(untuned, call).value().back();
  TuningEntry entry = tuning_entry(untuned, call);
  entry.variant = other;
  auto tuning = std::make_shared<Tuning>();
  tuning->set(entry);
  DeviceOptions options;
  options.kind = software_device()->kind();
  options.tuning = tuning;
  const Device device = Device::open(options).value();
  const Kernel kernel(device, package);
  const Prepared prepared = kernel.prepare(call).value();
  EXPECT_EQ(prepared.plan().variant, other);

  std::vector<GpuTensor> tensors;
  GpuTensors views;
  for (const auto& [key, spec] : call.inputs) {
    tensors.push_back(prepared.create_tensor(key).value());
    views.push_back({key, tensors.back()});
  }
  EXPECT_EQ(kernel.run(views).value().variant, other);
  EXPECT_NE(kernel.run(views, {.tunables = {{"WORKGROUP_SIZE", 64}}}).value().variant, other);
  EXPECT_NE(untuned.prepare(call).value().plan().variant, other);
}

}  // namespace
}  // namespace wgk::test
