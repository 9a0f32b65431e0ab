// Tunables of the shipped packages change speed and never a bit of a float16 result.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <wgk/kernel.hpp>

#include "support/software_device.h"

namespace wgk {
namespace {

using Tunables = std::map<std::string, AttributeValue, std::less<>>;

struct Call {
  const char* name;
  const char* package;
  TensorMap inputs;
  Attributes attrs;
};

HostTensor halves(const Shape& shape, unsigned seed) {
  std::vector<Float16> values(static_cast<std::size_t>(element_count(shape).value()));
  for (Float16& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = float_to_float16(static_cast<float>(seed >> 8) / 8388608.0f - 1);
  }
  return HostTensor::from(shape, values);
}

HostTensor rows(const Shape& shape, std::int64_t limit) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape).value()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i) * 7 % limit;
  return HostTensor::from(shape, values);
}

/// Eight heads, so that every number of heads per invocation divides them; 5 tokens, so that no workgroup is full.
TensorMap rotary_inputs(std::int64_t head, std::int64_t rotary) {
  return {{"x", halves({2, 8, 5, head}, 1)},
          {"cos", halves({9, rotary / 2}, 2)},
          {"sin", halves({9, rotary / 2}, 3)},
          {"positionIds", rows({2, 5}, 9)}};
}

std::vector<Call> calls() {
  std::vector<Call> all;
  for (const std::int64_t interleaved : {0, 1}) {
    all.push_back({"quad", "ai.onnx.RotaryEmbedding", rotary_inputs(64, 64), {{"interleaved", interleaved}}});
    all.push_back({"output_vec4", "ai.onnx.RotaryEmbedding", rotary_inputs(12, 12), {{"interleaved", interleaved}}});
    all.push_back({"partial",
                   "ai.onnx.RotaryEmbedding",
                   rotary_inputs(80, 16),
                   {{"interleaved", interleaved}, {"rotary_embedding_dim", 16}}});
    all.push_back({"scalar", "ai.onnx.RotaryEmbedding", rotary_inputs(10, 10), {{"interleaved", interleaved}}});
    TensorMap streams = rotary_inputs(64, 64);
    streams["positionIds"] = rows({3, 2, 5}, 9);
    all.push_back(
        {"streams",
         "com.microsoft.MRotaryEmbedding",
         std::move(streams),
         {{"interleaved", interleaved}, {"mrope_section", AttributeValue::List{8, 13, 11}}, {"scale", 0.75}}});
    TensorMap both = rotary_inputs(64, 64);
    auto q = both.extract("x");
    q.key() = "q";
    both.insert(std::move(q));
    both["k"] = halves({2, 2, 5, 64}, 4);
    all.push_back({"q and k", "wgk.RotaryEmbeddingQK", std::move(both), {{"interleaved", interleaved}}});
  }
  return all;
}

std::vector<Tunables> tunings() {
  std::vector<Tunables> all;
  struct Row {
    std::int64_t group, bytes, heads, lanes;
  };
  for (const Row& row : {Row{32, 4, 2, 4}, Row{256, 16, 8, 1}}) {
    all.push_back({{"WORKGROUP_SIZE", row.group},
                   {"VECTOR_BYTES", row.bytes},
                   {"HEADS_PER_INVOCATION", row.heads},
                   {"HEAD_LANES", row.lanes}});
  }
  return all;
}

TEST(KernelTuning, ChangesNoBit) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  for (const Call& call : calls()) {
    SCOPED_TRACE(std::string(call.package) + ", " + call.name);
    const std::string folder = std::string(WGK_SOURCE_DIR) + "/kernels/" + call.package;
    const Kernel kernel(*test::software_device(), Package::load(folder).value());
    const RunResult plain = kernel.run(call.inputs, {.attrs = call.attrs}).value();
    for (const Tunables& tunables : tunings()) {
      const auto tuned = kernel.run(call.inputs, {.attrs = call.attrs, .tunables = tunables});
      ASSERT_TRUE(tuned.ok()) << tuned.error().message;
      EXPECT_EQ(tuned->outputs, plain.outputs);
    }
  }
}

std::string template_text(const std::string& package, const std::string& name) {
  std::ifstream file(std::string(WGK_SOURCE_DIR) + "/kernels/" + package + "/build/webgpu/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A package is complete in itself, so what packages share stands in each of them.
TEST(KernelTuning, SharedTemplatesAreTheSame) {
  const std::string vectors = template_text("ai.onnx.RotaryEmbedding", "rotary-vectors.wgsl.jinja");
  const std::string grid = template_text("ai.onnx.RotaryEmbedding", "rotary-grid.wgsl.jinja");
  ASSERT_FALSE(vectors.empty());
  ASSERT_FALSE(grid.empty());
  EXPECT_EQ(template_text("com.microsoft.MRotaryEmbedding", "rotary-vectors.wgsl.jinja"), vectors);
  EXPECT_EQ(template_text("com.microsoft.MRotaryEmbedding", "rotary-grid.wgsl.jinja"), grid);
  EXPECT_EQ(template_text("wgk.RotaryEmbeddingQK", "rotary-vectors.wgsl.jinja"), vectors);
}

TEST(KernelTuning, RefusesWhatNoKernelCanDo) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Kernel kernel(*test::software_device(),
                      Package::load(std::string(WGK_SOURCE_DIR) + "/kernels/ai.onnx.RotaryEmbedding").value());
  for (const Tunables& tunables : {Tunables{{"VECTOR_BYTES", 12}}, Tunables{{"HEADS_PER_INVOCATION", 3}},
                                   Tunables{{"HEAD_LANES", 0.5}}, Tunables{{"WORKGROUP_SIZE", 0}}}) {
    const auto result = kernel.run(rotary_inputs(64, 64), {.tunables = tunables});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kRequest) << result.error().message;
  }
}

}  // namespace
}  // namespace wgk
