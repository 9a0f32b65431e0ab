// Measuring through the library: cases, what they move, and which variants take them.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <wgk/bench.hpp>

#include "engine_support.h"
#include "runtime/bench_sample.h"

namespace wgk::test {
namespace {

BenchCase rope_case() {
  BenchCase one;
  one.name = "small";
  one.call.inputs = {{"x", {DType::kFloat32, {1, 2, 4, 8}}},
                     {"cos", {DType::kFloat32, {16, 4}}},
                     {"sin", {DType::kFloat32, {16, 4}}},
                     {"positionIds", {DType::kInt64, {1, 4}}}};
  return one;
}

BenchOptions quick() {
  BenchOptions options;
  options.passes = 3;
  options.seconds = 0.01;
  return options;
}

TEST(BenchCases, AreReadFromTheirFile) {
  const auto cases = parse_bench_cases(R"({"cases": [
    {"name": "a", "inputs": {"x": {"dtype": "float16", "shape": [2, 3]}}, "attrs": {"k": [1, 2]}, "args": {"n": 4},
     "outputs": ["extra"]},
    {"name": "b", "inputs": {"i": {"dtype": "int64", "shape": [2], "data": [7, 8]}}}]})");
  ASSERT_TRUE(cases.ok()) << cases.error().message;
  ASSERT_EQ(cases->size(), 2u);
  const BenchCase& a = (*cases)[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.call.inputs.at("x"), (TensorSpec{DType::kFloat16, {2, 3}}));
  EXPECT_EQ(a.call.attrs.at("k"), AttributeValue(AttributeValue::List{1, 2}));
  EXPECT_EQ(a.call.args.at("n"), AttributeValue(4));
  EXPECT_EQ(a.call.wanted_outputs, std::vector<std::string>{"extra"});
  EXPECT_TRUE(a.data.empty());
  EXPECT_EQ((*cases)[1].data.at("i").as<std::int64_t>()[1], 8);
}

TEST(BenchCases, SayWhatIsWrong) {
  struct Row {
    std::string text;
    std::string want;
  };
  const Row rows[] = {
      {"{", "bench.json does not parse"},
      {"{}", "/cases: must be a list"},
      {R"({"cases": [1]})", "/cases/0: must be an object"},
      {R"({"cases": [{"inputs": {}}]})", "/cases/0: has no name"},
      {R"({"cases": [{"name": "a"}]})", "/cases/0: has no inputs"},
      {R"({"cases": [{"name": "a", "input": {}}]})", "/cases/0/input: unknown key"},
      {R"({"cases": [{"name": "a", "inputs": {"x": {"dtype": "float"}}}]})", "/inputs/x/dtype: \"float\" is not"},
      {R"({"cases": [{"name": "a", "inputs": {"x": {"dtype": "int8", "shape": [-1]}}}]})", "/x/shape: -1 is not"},
      {R"({"cases": [{"name": "a", "inputs": {"x": {"dtype": "int8", "shape": [1], "size": 1}}}]})", "/x/size"},
      {R"({"cases": [{"name": "a", "inputs": {"x": {"dtype": "int8", "shape": [1],
          "data": {"kind": "npy", "path": "/etc/passwd"}}}}]})",
       "npy files are for requests"},
      {R"({"cases": [{"name": "a", "inputs": {"x": {"dtype": "int8", "shape": [1152921504606846976, 9]}}}]})",
       "/x/shape: [1152921504606846976,9] is out of range"},
      {R"({"cases": [{"name": "a", "inputs": {}}, {"name": "a", "inputs": {}}]})", "/cases/1: a second case named"},
  };
  for (const Row& row : rows) {
    const auto cases = parse_bench_cases(row.text);
    ASSERT_FALSE(cases.ok()) << row.text;
    EXPECT_EQ(cases.error().code, ErrorCode::kPackage);
    EXPECT_NE(cases.error().message.find(row.want), std::string::npos) << cases.error().message;
  }
}

TEST(BenchCases, OfEveryPackageAreThere) {
  for (const char* op :
       {"ai.onnx.RotaryEmbedding", "com.microsoft.MRotaryEmbedding", "com.microsoft.GemmaRotaryEmbedding"}) {
    const auto package = Package::load(std::string(WGK_SOURCE_DIR) + "/kernels/" + op);
    ASSERT_TRUE(package.ok()) << package.error().message;
    const auto cases = load_bench_cases(*package);
    ASSERT_TRUE(cases.ok()) << cases.error().message;
    EXPECT_FALSE(cases->empty());
  }
}

TEST(BenchSample, IsOfMedians) {
  // Distances from the median 3 are 2, 1, 0, 1, 97: their median is 1.
  const BenchSample odd = runtime::sample_of({10, 20, 30, 40, 1000}, 10);
  EXPECT_DOUBLE_EQ(odd.median, 3);
  EXPECT_DOUBLE_EQ(odd.minimum, 1);
  EXPECT_DOUBLE_EQ(odd.maximum, 100);
  EXPECT_DOUBLE_EQ(odd.deviation, 1);
  EXPECT_EQ(odd.count, 5u);
  EXPECT_DOUBLE_EQ(runtime::median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(runtime::sample_of({}).count, 0u);
}

TEST(BenchCall, CountsTheRowsThatPositionsName) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel kernel(*software_device(), rope_package());
  // x and y: 64 floats each. Positions: 4 words. Of cos and sin, 16 rows of 4 floats each, those that are named.
  struct Row {
    std::vector<std::int64_t> positions;  ///< empty: generated, 0 to 3
    std::uint64_t rows;
  };
  for (const Row& row : {Row{{}, 4}, Row{{5, 5, 5, 5}, 1}, Row{{0, 15, 0, 15}, 2}}) {
    BenchCase one = rope_case();
    if (!row.positions.empty()) one.data.emplace("positionIds", HostTensor::from({1, 4}, row.positions));
    const auto timing = bench_call(kernel, one, quick());
    ASSERT_TRUE(timing.ok()) << timing.error().message;
    EXPECT_EQ(timing->useful_bytes, 2 * 64 * 4 + 4 * 4 + 2 * row.rows * 4 * 4);
    EXPECT_GT(timing->call.median, 0);
    EXPECT_EQ(timing->buffer_sets, 1u);
  }
}

TEST(BenchCall, GivesIndependentCallsBuffersOfTheirOwn) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  BenchOptions options = quick();
  options.independent = true;
  options.dispatches = 12;
  const auto timing = bench_call(Kernel(*software_device(), rope_package()), rope_case(), options);
  ASSERT_TRUE(timing.ok()) << timing.error().message;
  EXPECT_EQ(timing->buffer_sets, 12u);
  EXPECT_EQ(timing->dispatches, 12u);
}

TEST(BenchCall, TakesOnnxNamesAndRefusesWhatDoesNothing) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel kernel(*software_device(), rope_package());
  BenchCase named = rope_case();
  named.call.inputs["position_ids"] = named.call.inputs["positionIds"];
  named.call.inputs.erase("positionIds");
  named.data.emplace("position_ids", HostTensor::from({1, 4}, std::vector<std::int64_t>{1, 1, 1, 1}));
  const auto timing = bench_call(kernel, named, quick());
  ASSERT_TRUE(timing.ok()) << timing.error().message;
  EXPECT_EQ(timing->useful_bytes, 2u * 64 * 4 + 4 * 4 + 2 * 4 * 4);

  BenchCase empty = rope_case();
  empty.call.inputs["x"].shape = {1, 2, 0, 8};
  empty.call.inputs["positionIds"].shape = {1, 0};
  const auto nothing = bench_call(kernel, empty, quick());
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, ErrorCode::kRequest);
  EXPECT_NE(nothing.error().message.find("nothing to dispatch"), std::string::npos) << nothing.error().message;
}

TEST(BenchCall, MeasuresInPlaceCallsAndTheCpuPath) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  BenchCase one;
  one.name = "x";
  one.call.inputs = {{"x", {DType::kFloat32, {1000}}}};
  const auto timing = bench_call(Kernel(*software_device(), package_of(in_place_files(), "in place")), one, quick());
  ASSERT_TRUE(timing.ok()) << timing.error().message;
  EXPECT_EQ(timing->useful_bytes, 8000u) << "read and written";

  const Device cpu = Device::open({.kind = DeviceKind::kCpu}).value();
  const auto on_cpu = bench_call(Kernel(cpu, rope_package()), rope_case(), quick());
  ASSERT_TRUE(on_cpu.ok()) << on_cpu.error().message;
  EXPECT_EQ(on_cpu->clock, BenchClock::kHost);
  EXPECT_EQ(on_cpu->useful_bytes, 2u * 64 * 4 + 4 * 4 + 2 * 4 * 4 * 4);
}

TEST(BenchCopy, MovesTheBytesAskedFor) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  for (const Device& device : {*software_device(), Device::open({.kind = DeviceKind::kCpu}).value()}) {
    const auto timing = bench_copy(device, 100'000, quick());
    ASSERT_TRUE(timing.ok()) << timing.error().message;
    EXPECT_NEAR(static_cast<double>(timing->bytes), 100'000, 32);
    EXPECT_GT(timing->copy.median, 0);
    EXPECT_GE(timing->vectors, 1u);
  }
}

TEST(AcceptingVariants, BeginWithTheSelectedOne) {
  const Device cpu = Device::open({.kind = DeviceKind::kCpu}).value();
  const Kernel kernel(cpu, rope_package());
  const auto variants = accepting_variants(kernel, rope_case().call);
  ASSERT_TRUE(variants.ok()) << variants.error().message;
  PlanRequest request;
  request.inputs = rope_case().call.inputs;
  const Plan plan = kernel.package().plan(request, cpu.profile()).value();
  EXPECT_EQ(variants->front(), plan.variant);
  using Outcome = VariantDecision::Outcome;
  std::set<std::string> want;
  for (const VariantDecision& decision : plan.decisions) {
    if (decision.outcome != Outcome::kRejected) want.insert(decision.id);
  }
  EXPECT_EQ(std::set<std::string>(variants->begin(), variants->end()), want);
  ASSERT_GE(variants->size(), 2u);
  CallSpec pinned = rope_case().call;
  pinned.variant = variants->back();
  EXPECT_EQ(*accepting_variants(kernel, pinned), std::vector<std::string>{variants->back()});
}

TEST(BenchDigest, TellsResultsApart) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel kernel(*software_device(), rope_package());
  BenchCase one = rope_case();
  const std::string digest = bench_digest(kernel, one).value();
  EXPECT_EQ(bench_digest(kernel, one).value(), digest);
  one.call.variant = accepting_variants(kernel, one.call).value().back();
  EXPECT_EQ(bench_digest(kernel, one).value(), digest) << "variants of these packages agree in every bit";
  one.call.attrs = {{"interleaved", 1}};
  EXPECT_NE(bench_digest(kernel, one).value(), digest);
}

}  // namespace
}  // namespace wgk::test
