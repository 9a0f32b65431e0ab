// Random manifests, not only random requests: whatever they say, planning fails with a text or keeps its promises, and
// twice the same call gives the same bytes. WGK_SEED sets the seed; failures print it.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "small_manifest.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  SmallManifest manifest() {
    SmallManifest manifest;
    inputs_ = 1 + below(3);
    manifest.inputs = list(inputs_, [&](std::size_t i) {
      return "\"" + tensor(i) + R"(": {"dtype": )" + pick({"\"T\"", "\"T\"", "\"float32\"", "\"U\"", "\"int8\""}) +
             (i > 0 && coin() ? R"(, "optional": true)" : "") + "}";
    });
    manifest.outputs =
        R"("y": {"dtype": )" + pick({"\"T\"", "\"U\"", "\"int32\"", "\"float32\""}) + R"(, "shape": )" + shape() + "}";
    manifest.constraints = R"("T": ["float32", "float16", "int32"], "U": ["float32", "uint32"])";
    derives_ = below(4);
    manifest.derive =
        list(derives_, [&](std::size_t i) { return "\"d" + std::to_string(i) + "\": " + quoted(expression(i, 3)); });
    scratch_ = coin();
    if (scratch_)
      manifest.variant = R"(, "intermediates": [{"id": "t", "dtype": "float32", "shape": )" + shape() + "}]";
    if (coin()) manifest.variant += R"(, "demoteWhen": [)" + quoted(expression(derives_, 2)) + "]";
    if (below(4) == 0) manifest.variant += R"(, "when": [)" + quoted(condition()) + "]";
    const std::size_t steps = 1 + below(3);
    manifest.passes = list(steps, [&](std::size_t i) { return step(i, 2); });
    manifest.shader = "{{ env.wgsl.resourceDeclarations }}\n{% for i in range(2) %}{{ " + expression(derives_, 2) +
                      " }}{% endfor %}" + pick({"", "var a: f16;", "{{ repeat.index }}", "subgroupAdd(1);"});
    return manifest;
  }

  PlanRequest request() {
    PlanRequest request;
    for (std::size_t i = 0; i < inputs_; ++i) {
      if (i > 0 && below(3) == 0) continue;
      Shape shape;
      for (std::size_t d = below(4); d > 0; --d) shape.push_back(static_cast<std::int64_t>(below(6)));
      if (below(40) == 0) shape.push_back(std::int64_t{1} << (20 + below(40)));
      const DType dtypes[] = {DType::kFloat32, DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kInt32};
      request.inputs[tensor(i)] = {dtypes[below(std::size(dtypes))], std::move(shape)};
    }
    request.attributes.emplace("n", static_cast<std::int64_t>(below(7)) - 1);
    return request;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool coin() { return below(2) == 0; }
  std::string pick(std::vector<std::string> choices) { return choices[below(choices.size())]; }
  static std::string quoted(const std::string& text) { return "\"" + text + "\""; }
  static std::string tensor(std::size_t i) { return i == 0 ? "x" : "x" + std::to_string(i); }

  template <typename Item>
  static std::string list(std::size_t count, const Item& item) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + item(i);
    return text;
  }

  /// Mostly numbers, at times something else, so that kinds are confused too.
  std::string expression(std::size_t derives, int depth) {
    if (depth == 0 || below(3) == 0) {
      if (below(15) == 0) return pick({"'s'", "present.x1", "none", "1.5", "attrs.q"});
      std::vector<std::string> leaves = {"1", "2", "3", "attrs.n", "numel(shapes.x)", "ranks.x"};
      if (derives > 0) leaves.push_back("d" + std::to_string(below(derives)));
      return leaves[below(leaves.size())];
    }
    const std::string a = expression(derives, depth - 1), b = expression(derives, depth - 1);
    switch (below(5 + below(3) / 2)) {
      case 0:
        return "(" + a + " " + pick({"+", "-", "*", "/", "//", "%", "**"}) + " " + b + ")";
      case 1:
        return "max(" + a + ", " + b + ")";
      case 2:
        return "ceilDiv(" + a + ", " + b + ")";
      case 3:
        return "(" + a + " if " + condition() + " else " + b + ")";
      case 4:
        return "(" + a + ")|abs";
      default:
        return "[" + a + ", " + b + "]";
    }
  }

  /// Mostly a count.
  std::string counting() {
    const std::string number = expression(derives_, 2);
    return below(8) == 0 ? number : "(max(" + number + ", 0))|int % 1000";
  }

  std::string condition() { return "attrs.n " + pick({"<", "==", ">=", "!="}) + " " + pick({"0", "1", "3"}); }

  std::string shape() {
    return pick({"\"shapes.x\"", "\"prefix(shapes.x, 1)\"", "[2, \"attrs.n\"]", "\"fill(2, ranks.x)\"",
                 "\"moveAxis(shapes.x, 0, -1)\"", "[" + quoted(expression(0, 2)) + "]",
                 "\"broadcastShape(shapes.x, [1])\""});
  }

  std::string dispatch() {
    const std::string count = quoted(counting());
    const std::string elements = quoted("numel(shapes.x)");
    switch (below(4)) {
      case 0:
        return R"({"threads": )" + elements + R"(, "workgroupSize": )" + pick({"1", "64", "0", count}) + "}";
      case 1:
        return R"({"workgroups": )" + count + "}";
      case 2:
        return R"({"x": "attrs.n", "y": )" + count + "}";
      default:
        return R"({"x": )" + elements + "}";
    }
  }

  std::string bindings() {
    std::string text = R"("x", "y")";
    for (std::size_t i = 1; i < inputs_; ++i) {
      if (below(4) == 0) text += ", \"" + tensor(i) + "\"";
    }
    if (scratch_ && coin()) text += R"(, "t")";
    if (coin()) {
      text += R"(, {"name": "params", "struct": [{"name": "a", "type": )" + pick({"\"u32\"", "\"i32\"", "\"f32\""}) +
              R"(, "value": )" + quoted(counting()) + R"(}, {"name": "_pad0", "type": "f32", "value": 1}]})";
    }
    return text;
  }

  std::string step(std::size_t i, int depth) {
    const std::string id = (depth < 2 ? "q" : "p") + std::to_string(i);
    if (depth > 0 && below(4) == 0) {
      const std::size_t steps = 1 + below(2);
      return R"({"id": ")" + id + R"(", "repeat": {"index": "i)" + std::to_string(depth) + R"(", "count": )" +
             pick({"\"attrs.n\"", "2", quoted(expression(derives_, 1))}) + R"(}, "passes": [)" +
             list(steps, [&](std::size_t k) { return step(k, depth - 1); }) + "]}";
    }
    return R"({"id": ")" + id + R"(", "shader": "a.wgsl.jinja", "bindings": [)" + bindings() + R"(], "dispatch": )" +
           dispatch() + (coin() ? R"(, "submitAfter": true)" : "") + "}";
  }

  std::mt19937_64 random_;
  std::size_t inputs_ = 1;
  std::size_t derives_ = 0;
  bool scratch_ = false;
};

std::uint64_t product(const Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t dim : shape) elements *= static_cast<std::uint64_t>(dim);
  return elements;
}

void check_pass(const Plan& plan, const PlanPass& pass, const DeviceProfile& profile) {
  EXPECT_FALSE(pass.wgsl.empty());
  for (const std::uint32_t axis : pass.workgroups) EXPECT_LE(axis, 65535u);
  if (plan.empty) {
    EXPECT_TRUE(pass.skipped());
  }
  for (const PlanBinding& binding : pass.bindings) {
    EXPECT_EQ(binding.size_bytes % 4, 0u);
    EXPECT_GE(binding.size_bytes, 4u);
    if (binding.source == PlanBinding::Source::kUniform) {
      ASSERT_LT(binding.index, plan.uniforms.size());
      EXPECT_EQ(binding.size_bytes, plan.uniforms[binding.index].bytes.size());
      EXPECT_EQ(binding.size_bytes % 16, 0u);
      continue;
    }
    const bool scratch = binding.source == PlanBinding::Source::kScratch;
    if (scratch && binding.index == PlanBinding::kNotAllocated) {
      EXPECT_TRUE(pass.skipped());
      continue;
    }
    ASSERT_LT(binding.index, scratch ? plan.scratch.size() : plan.tensors.size());
    const std::uint64_t bytes =
        scratch ? plan.scratch[binding.index].storage_bytes : plan.tensors[binding.index].storage_bytes;
    EXPECT_GE(binding.size_bytes, bytes);
    EXPECT_LT(binding.size_bytes, bytes + 5);
    if (!pass.skipped()) {
      EXPECT_LE(binding.size_bytes, profile.limit("maxStorageBufferBindingSize"));
    }
  }
}

void check_plan(const Plan& plan, const PlanRequest& request, const DeviceProfile& profile) {
  EXPECT_FALSE(plan.passes.empty());
  bool all_empty = true;
  for (const PlanTensor& tensor : plan.tensors) {
    const auto given = request.inputs.find(tensor.key);
    EXPECT_EQ(tensor.is_input, given != request.inputs.end());
    if (tensor.is_input) {
      EXPECT_EQ(tensor.shape, given->second.shape);
    }
    if (tensor.is_output) all_empty = all_empty && product(tensor.shape) == 0;
    const std::uint64_t width = tensor.format.storage == DType::kFloat16 ? 2 : 4;
    EXPECT_EQ(tensor.storage_bytes, width * product(tensor.shape));
    EXPECT_LE(tensor.storage_bytes, profile.limit("maxBufferSize"));
  }
  EXPECT_EQ(plan.empty, all_empty);
  std::set<std::string> ids;
  std::vector<bool> scratch_used(plan.scratch.size());
  for (const PlanPass& pass : plan.passes) {
    EXPECT_TRUE(ids.insert(pass.id).second) << pass.id;
    check_pass(plan, pass, profile);
    for (const PlanBinding& binding : pass.bindings) {
      const bool allocated = binding.index != PlanBinding::kNotAllocated;
      if (binding.source == PlanBinding::Source::kScratch && allocated) scratch_used.at(binding.index) = true;
    }
  }
  EXPECT_EQ(scratch_used, std::vector<bool>(plan.scratch.size(), true));
  const auto selected = [](const VariantDecision& d) { return d.outcome == VariantDecision::Outcome::kSelected; };
  EXPECT_EQ(std::count_if(plan.decisions.begin(), plan.decisions.end(), selected), 1);
}

TEST(RandomManifests, FailWithATextOrKeepTheInvariants) {
  const char* given = std::getenv("WGK_SEED");
  const std::uint64_t seed = given == nullptr ? 20261201 : std::strtoull(given, nullptr, 10);
  SCOPED_TRACE("WGK_SEED=" + std::to_string(seed));
  int planned = 0;
  for (std::uint64_t round = 0; round < 1000 && !testing::Test::HasFailure(); ++round) {
    Generator generator(seed + round);
    const SmallManifest manifest = generator.manifest();
    SCOPED_TRACE("round " + std::to_string(round) + ": " + manifest.json());
    const PackagePtr package = manifest.load();
    ASSERT_NE(package, nullptr);
    for (int call = 0; call < 4; ++call) {
      const PlanRequest request = generator.request();
      const DeviceProfile profile = call % 2 == 0 ? f16_profile() : DeviceProfile::webgpu_defaults();
      const auto plan = make_plan(*package, request, profile);
      const auto again = make_plan(*package, request, profile);
      ASSERT_EQ(plan.ok(), again.ok());
      if (!plan.ok()) {
        EXPECT_FALSE(plan.error().message.empty());
        EXPECT_EQ(plan.error().message, again.error().message);
        continue;
      }
      ++planned;
      EXPECT_EQ(plan->to_json(), again->to_json());
      check_plan(*plan, request, profile);
    }
  }
  // The generator must not drift into manifests that never plan.
  EXPECT_GE(planned, 100);
}

}  // namespace
}  // namespace wgk::plan
