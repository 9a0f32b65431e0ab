// The published 1.0 manifests, read in place, become the right model.
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "package/load.h"

namespace wgk::package {
namespace {

std::string read_seed(const std::string& name) {
  std::ifstream file(std::string(WGK_SOURCE_DIR) + "/../shared/seeds/" + name);
  std::string out;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ") && line.ends_with(" |")) line = line.substr(2, line.size() - 4);
    if (line != "|") out += line + "\n";
  }
  return out;
}

std::shared_ptr<const LoadedPackage> load_seed(const std::string& name) {
  const std::string text = read_seed(name);
  if (text.empty()) return nullptr;
  auto loaded = load_unverified(text, {}, name);
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return loaded.ok() ? *loaded : nullptr;
}

TEST(Seeds, RotaryEmbedding) {
  const auto loaded = load_seed("000_fde425676d299804.txt");
  if (loaded == nullptr) GTEST_SKIP() << "the seed manifests are not beside this source tree";
  const Manifest& manifest = loaded->manifest;
  EXPECT_EQ(manifest.op, "ai.onnx.RotaryEmbedding");
  ASSERT_EQ(manifest.ports.size(), 5u);
  EXPECT_EQ(manifest.ports[3].key, "positionIds");
  EXPECT_EQ(manifest.ports[3].storage, DType::kUint32);
  EXPECT_TRUE(manifest.ports[3].optional);
  EXPECT_EQ(manifest.ports[0].scope_names, (std::vector<std::string>{"x", "X"}));
  EXPECT_EQ(manifest.ports[4].scope_names, (std::vector<std::string>{"y", "Y", "output"}));
  EXPECT_EQ(manifest.attributes.size(), 3u);
  ASSERT_EQ(manifest.variants.size(), 4u);
  const Pass& pass = std::get<Pass>(manifest.variants[0].steps[0].node);
  EXPECT_EQ(pass.bindings.size(), 6u);
  EXPECT_EQ(pass.bindings[5].fields.size(), 6u);
  EXPECT_EQ(pass.source_inputs.size(), 2u);
}

TEST(Seeds, MRotaryEmbeddingNamesInputBySemantic) {
  const auto loaded = load_seed("002_9a8eab90b670604f.txt");
  if (loaded == nullptr) GTEST_SKIP() << "the seed manifests are not beside this source tree";
  EXPECT_EQ(loaded->manifest.ports[0].scope_names, (std::vector<std::string>{"x", "input"}));
  EXPECT_EQ(loaded->manifest.ports[4].scope_names, (std::vector<std::string>{"y", "output"}));
  EXPECT_EQ(loaded->manifest.variants.size(), 2u);
}

TEST(Seeds, GemmaRotaryEmbedding) {
  const auto loaded = load_seed("004_8f970fa9ef6f1222.txt");
  if (loaded == nullptr) GTEST_SKIP() << "the seed manifests are not beside this source tree";
  EXPECT_EQ(loaded->manifest.variants.size(), 2u);
  EXPECT_EQ(loaded->manifest.variants[0].requires_.features, std::vector<std::string>{"shader-f16"});
}

}  // namespace
}  // namespace wgk::package
