// The published manifests of dialect 1.0, byte for byte, with our templates: every variant runs, and gives what our own
// packages give.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include <wgk/kernel.hpp>

#include "ops/operator.h"
#include "support/software_device.h"

namespace wgk {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Two seeds have every line in "| … |"; this takes the frame off.
std::string unframed(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line.front() == '|') line.erase(0, line.size() > 1 && line[1] == ' ' ? 2 : 1);
    if (!line.empty() && line.back() == '|')
      line.erase(line.size() > 1 && line[line.size() - 2] == ' ' ? line.size() - 2 : line.size() - 1);
    out += line + "\n";
  }
  return out;
}

/// Values in [-2, 2) from a small generator: the same on every machine.
class Values {
 public:
  float next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<float>(state_ >> 8) / 4194304.0F - 2.0F;
  }
  HostTensor tensor(DType dtype, Shape shape) {
    const auto count = static_cast<std::size_t>(*element_count(shape));
    HostTensor out{dtype, std::move(shape), std::vector<std::byte>(count * dtype_size(dtype))};
    for (std::size_t i = 0; i < count; ++i) {
      const float value = next();
      const Float16 half = float_to_float16(value);
      const void* source = dtype == DType::kFloat16 ? static_cast<const void*>(&half) : &value;
      std::memcpy(out.data.data() + i * dtype_size(dtype), source, dtype_size(dtype));
    }
    return out;
  }
  HostTensor positions(Shape shape, std::int64_t rows) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(*element_count(shape)));
    for (auto& value : values) {
      next();
      value = static_cast<std::int64_t>(state_ >> 8) % rows;
    }
    return HostTensor::from<std::int64_t>(std::move(shape), values);
  }

 private:
  std::uint32_t state_ = 12345;
};

struct Call {
  std::string variant;  ///< that the seed must choose
  TensorMap inputs;
  Attributes attrs;
};

struct Seed {
  const char* op;
  const char* manifest;
  bool framed;
  const char* templates;  ///< folder below tests/conformance/data
  const char* shader;
  std::function<std::vector<Call>()> calls;
};

std::vector<Call> rotary_calls() {
  std::vector<Call> calls;
  Values values;
  for (const DType t : {DType::kFloat32, DType::kFloat16}) {
    for (const int interleaved : {0, 1}) {
      for (const int rotary : {0, 4}) {
        const std::int64_t half = rotary == 0 ? 4 : 2;
        const Attributes rank3 = {{"interleaved", interleaved}, {"rotary_embedding_dim", rotary}, {"num_heads", 3}};
        const Attributes rank4 = {{"interleaved", interleaved}, {"rotary_embedding_dim", rotary}};
        const auto x3 = values.tensor(t, {2, 5, 24});
        const auto x4 = values.tensor(t, {2, 3, 5, 8});
        const auto cache2 = [&] { return values.tensor(t, {7, half}); };
        const auto cache3 = [&] { return values.tensor(t, {2, 5, half}); };
        const auto positions = values.positions({2, 5}, 7);
        calls.push_back(
            {"rank3_cache2_pos", {{"x", x3}, {"cos", cache2()}, {"sin", cache2()}, {"positionIds", positions}}, rank3});
        calls.push_back(
            {"rank4_cache2_pos", {{"x", x4}, {"cos", cache2()}, {"sin", cache2()}, {"positionIds", positions}}, rank4});
        calls.push_back({"rank3_cache3", {{"x", x3}, {"cos", cache3()}, {"sin", cache3()}}, rank3});
        calls.push_back({"rank4_cache3", {{"x", x4}, {"cos", cache3()}, {"sin", cache3()}}, rank4});
      }
    }
  }
  return calls;
}

std::vector<Call> mrotary_calls() {
  std::vector<Call> calls;
  Values values;
  using List = AttributeValue::List;
  for (const DType t : {DType::kFloat32, DType::kFloat16}) {
    for (const int interleaved : {0, 1}) {
      for (const int layout : {0, 1}) {
        const auto cache = [&] { return values.tensor(t, {7, 4}); };
        const auto positions = values.positions({3, 2, 5}, 7);
        const Attributes attrs = {
            {"interleaved", interleaved}, {"mrope_layout", layout}, {"mrope_section", List{2, 1, 1}}, {"num_heads", 3}};
        calls.push_back(
            {"rank3",
             {{"x", values.tensor(t, {2, 5, 24})}, {"positionIds", positions}, {"cos", cache()}, {"sin", cache()}},
             attrs});
        calls.push_back(
            {"rank4",
             {{"x", values.tensor(t, {2, 3, 5, 8})}, {"positionIds", positions}, {"cos", cache()}, {"sin", cache()}},
             attrs});
      }
    }
  }
  return calls;
}

std::vector<Call> gemma_calls() {
  std::vector<Call> calls;
  Values values;
  for (const std::int64_t d : {8, 7}) {
    const auto head = [&] { return values.tensor(DType::kFloat16, {2, 3, 4, d}); };
    calls.push_back({d == 8 ? "vec4" : "scalar",
                     {{"embT", values.tensor(DType::kFloat32, {2, 4, d})},
                      {"qT", head()},
                      {"qRotT", head()},
                      {"kT", head()},
                      {"kRotT", head()}},
                     {}});
  }
  return calls;
}

const Seed kSeeds[] = {
    {"ai.onnx.RotaryEmbedding", "000_fde425676d299804.txt", false, "rotary_embedding_v1", "rotary-embedding.wgsl.jinja",
     rotary_calls},
    {"com.microsoft.MRotaryEmbedding", "002_9a8eab90b670604f.txt", true, "mrotary_embedding_v1",
     "mrotary-embedding.wgsl.jinja", mrotary_calls},
    {"com.microsoft.GemmaRotaryEmbedding", "004_8f970fa9ef6f1222.txt", true, "gemma_rotary_embedding_v1",
     "gemma-rotary-embedding.wgsl.jinja", gemma_calls},
};

class Seeds : public testing::TestWithParam<Seed> {};

std::string seed_path(const Seed& seed) { return std::string(WGK_SOURCE_DIR) + "/../shared/seeds/" + seed.manifest; }

Result<Package> seed_package(const Seed& seed) {
  std::string manifest = read_file(seed_path(seed));
  if (seed.framed) manifest = unframed(manifest);
  const std::string shader =
      read_file(std::string(WGK_SOURCE_DIR) + "/tests/conformance/data/" + seed.templates + "/" + seed.shader);
  return Package::from_memory({{"manifest.json", manifest}, {seed.shader, shader}}, seed.op);
}

/// Both results against the reference, and float16 results bit for bit with each other.
void compare(const std::string& op_id, const Call& call, const RunResult& seed, const RunResult& ours) {
  const ops::Operator* op = ops::find_operator(op_id);
  ASSERT_NE(op, nullptr);
  ops::OpCall op_call;
  op_call.attributes = call.attrs;
  for (const auto& [key, tensor] : call.inputs) op_call.inputs.emplace(key, &tensor);
  const auto expected = op->reference(op_call);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  for (const RunResult* result : {&seed, &ours}) {
    for (const ops::Mismatch& mismatch : op->compare(op_call, *expected, result->outputs)) {
      ADD_FAILURE() << result->variant << ": " << mismatch.message;
    }
  }
  ASSERT_EQ(seed.outputs.size(), ours.outputs.size());
  for (std::size_t i = 0; i < seed.outputs.size(); ++i) {
    const HostTensor& tensor = seed.outputs[i].second;
    EXPECT_EQ(tensor.shape, ours.outputs[i].second.shape);
    if (tensor.dtype == DType::kFloat16) {
      EXPECT_EQ(tensor.data, ours.outputs[i].second.data) << seed.variant << " and " << ours.variant;
    }
  }
}

TEST_P(Seeds, EveryVariantRunsAsOurPackageDoes) {
  const Seed& seed = GetParam();
  if (!std::ifstream(seed_path(seed))) GTEST_SKIP() << "the seed manifests are not on this machine";
  auto package = seed_package(seed);
  ASSERT_TRUE(package.ok()) << package.error().message;
  EXPECT_EQ(package->op(), seed.op);
  auto own = Package::load(std::string(WGK_SOURCE_DIR) + "/kernels/" + seed.op);
  ASSERT_TRUE(own.ok()) << own.error().message;
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel theirs(*test::software_device(), *std::move(package));
  const Kernel ours(*test::software_device(), *std::move(own));
  for (const Call& call : seed.calls()) {
    RunOptions options;
    options.attrs = call.attrs;
    const auto result = theirs.run(call.inputs, options);
    ASSERT_TRUE(result.ok()) << call.variant << ": " << result.error().message;
    EXPECT_EQ(result->variant, call.variant);
    const auto own_result = ours.run(call.inputs, options);
    ASSERT_TRUE(own_result.ok()) << own_result.error().message;
    compare(seed.op, call, *result, *own_result);
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, Seeds, testing::ValuesIn(kSeeds), [](const auto& info) {
  std::string name = info.param.templates;
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  return name;
});

}  // namespace
}  // namespace wgk
