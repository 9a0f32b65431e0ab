// No room while output is written: an error, no partial file, what was there before stays, and the next call works.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/wgk.h"

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

/// A request whose result is some hundred KB of JSON.
json large_request() {
  json request = rope_request();
  request["inputs"]["x"]["shape"] = {1, 8192, 2, 4};
  request["inputs"]["x"]["data"] = {{"kind", "fill"}, {"value", 0.1}};
  return request;
}

/// wgk in a shell that limits files to `blocks` of 1024 bytes.
ProcessResult limited(const fs::path& folder, int blocks, const std::string& command) {
  ProcessOptions options;
  options.directory = folder.string();
  options.environment = {{"WGK_KERNELS_PATH", kernels_folder()}};
  const std::string program = std::string(WGK_BINARY_DIR) + "/wgk";
  return run_process(
      {"bash", "-c", "ulimit -c 0; ulimit -f " + std::to_string(blocks) + "; exec \"$0\" " + command, program},
      options);
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr const char* kRun = "run ai.onnx.RotaryEmbedding --request request.json --device cpu --json --output out.json";

TEST(DiskFull, NothingIsLeft) {
  const TemporaryFolder folder;
  folder.write("request.json", large_request().dump());
  const auto result = limited(folder.path(), 16, kRun);
  expect_error(result, 2, "usage", "out.json: File too large");
  EXPECT_EQ(entries(folder.path()), 1u);

  const auto next = limited(folder.path(), 16384, kRun);
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_GT(fs::file_size(folder.path() / "out.json"), 100'000u);
}

TEST(DiskFull, WhatWasThereStays) {
  const TemporaryFolder folder;
  folder.write("request.json", large_request().dump());
  folder.write("out.json", "old");
  const auto result = limited(folder.path(), 16, kRun);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(slurp(folder.path() / "out.json"), "old");
  EXPECT_EQ(entries(folder.path()), 2u);
}

TEST(DiskFull, NoRoomForOneByte) {
  const TemporaryFolder folder;
  folder.write("request.json", rope_request().dump());
  const auto result = limited(folder.path(), 0, kRun);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(DiskFull, ANewPackage) {
  const TemporaryFolder folder;
  const auto result = limited(folder.path(), 0, "new org.example.Scale");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "org.example.Scale" / "build" / "webgpu" / "metadata.json"));
  const auto next = limited(folder.path(), 1024, "new org.example.Scale");
  EXPECT_EQ(next.exit_code, 0) << next.err;
}

TEST(DiskFull, PackingLeavesTheOldMetadata) {
  const TemporaryFolder folder;
  ASSERT_EQ(limited(folder.path(), 1024, "new org.example.Scale").exit_code, 0);
  const fs::path metadata = folder.path() / "org.example.Scale" / "build" / "webgpu" / "metadata.json";
  const std::string before = slurp(metadata);
  const std::size_t files = entries(metadata.parent_path());
  folder.write("org.example.Scale/build/webgpu/notes.txt", "new");
  const auto result = limited(folder.path(), 0, "pack org.example.Scale");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(slurp(metadata), before);
  EXPECT_EQ(entries(metadata.parent_path()), files + 1);
  EXPECT_EQ(limited(folder.path(), 1024, "pack org.example.Scale").exit_code, 0);
}

}  // namespace
}  // namespace wgk::test
