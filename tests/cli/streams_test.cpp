// Where results go: files of every kind, and standard streams that are closed, full or slow.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "cli/wgk.h"

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode;
}

ProcessResult run_into(const std::string& file) {
  return wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--output", file});
}

bool holds_the_result(const fs::path& file) {
  const json parsed = json::parse(slurp(file), nullptr, false);
  return parsed.is_object() && parsed["outputs"]["y"]["data"] == rope_result();
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

/// A shell script with wgk in the PATH, in `folder`.
ProcessResult script(const TemporaryFolder& folder, const std::string& text) {
  ProcessOptions options;
  options.directory = folder.path().string();
  options.environment = {{"PATH", std::string(WGK_BINARY_DIR) + ":" + std::getenv("PATH")},
                         {"WGK_KERNELS_PATH", kernels_folder()}};
  return run_process({"bash", "-o", "pipefail", "-c", text}, options);
}

TEST(Output, ADeviceIsWrittenNotReplaced) {
  EXPECT_EQ(run_into("/dev/null").exit_code, 0);
  EXPECT_TRUE(S_ISCHR(mode_of("/dev/null")));
  expect_error(run_into("/dev/full"), 2, "usage", "/dev/full: No space left on device");
  EXPECT_TRUE(S_ISCHR(mode_of("/dev/full")));
}

TEST(Output, APipeIsWrittenNotReplaced) {
  const TemporaryFolder folder;
  folder.write("rope.json", rope_request().dump());
  const auto result = script(folder,
                             "mkfifo pipe; cat pipe > copy & "
                             "wgk run ai.onnx.RotaryEmbedding --request rope.json --device cpu --output pipe; "
                             "code=$?; wait; exit $code");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(S_ISFIFO(mode_of(folder.path() / "pipe")));
  EXPECT_TRUE(holds_the_result(folder.path() / "copy"));
}

TEST(Output, ALinkIsFollowed) {
  const TemporaryFolder folder;
  folder.write("real/result.json", "old");
  fs::create_symlink("real/result.json", folder.path() / "link");
  fs::create_symlink("link", folder.path() / "link2");
  EXPECT_EQ(run_into((folder.path() / "link2").string()).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link2") && fs::is_symlink(folder.path() / "link"));
  EXPECT_TRUE(holds_the_result(folder.path() / "real/result.json"));
  EXPECT_EQ(entries(folder.path() / "real"), 1U);
}

TEST(Output, ALinkToNothingMakesItsTarget) {
  const TemporaryFolder folder;
  fs::create_symlink("new.json", folder.path() / "link");
  EXPECT_EQ(run_into((folder.path() / "link").string()).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_TRUE(holds_the_result(folder.path() / "new.json"));
}

TEST(Output, ALinkInACircleIsAnError) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder.path() / "a");
  fs::create_symlink("a", folder.path() / "b");
  expect_error(run_into((folder.path() / "a").string()), 2, "usage", "Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "a"));
}

TEST(Output, TheModeOfAnExistingFileIsKept) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("result.json", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_EQ(run_into(file.string()).exit_code, 0);
  EXPECT_EQ(mode_of(file) & 0777U, 0640U);
  EXPECT_TRUE(holds_the_result(file));
}

TEST(Output, ANewFileHasTheModeOfTheUmask) {
  const TemporaryFolder folder;
  folder.write("rope.json", rope_request().dump());
  const auto result = script(folder,
                             "umask 027; wgk run ai.onnx.RotaryEmbedding --request rope.json --device cpu "
                             "--output new.json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(mode_of(folder.path() / "new.json") & 0777U, 0640U);
}

TEST(Output, AReaderOfTheOldFileKeepsIt) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("result.json", "the whole old text");
  std::ifstream reader(file);
  EXPECT_EQ(run_into(file.string()).exit_code, 0);
  std::stringstream seen;
  seen << reader.rdbuf();
  EXPECT_EQ(seen.str(), "the whole old text") << "the file was overwritten in place";
  EXPECT_TRUE(holds_the_result(file));
}

TEST(Output, AnEmptyNameIsRefused) {
  expect_error(run_into(""), 2, "usage", "--output: must name a file");
  for (const char* option : {"--junit", "--checksums"}) {
    expect_error(wgk({"test", rope_package(), "--device", "cpu", option, "", "--json"}), 2, "usage",
                 std::string(option) + ": must name a file");
  }
}

/// A closed stream is the number of the next file that is opened: what is printed must not land there.
TEST(Streams, ClosedOnesAreNotTakenByTheFilesThatAreOpened) {
  const TemporaryFolder folder;
  folder.write("rope.json", rope_request().dump());
  const std::string command = "wgk run ai.onnx.RotaryEmbedding --request rope.json --output out.json ";
  for (const char* closed : {">&-", "2>&-", "<&-", ">&- 2>&- <&-"}) {
    SCOPED_TRACE(closed);
    const auto result = script(folder, command + "--device auto " + closed);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json written = json::parse(slurp(folder.path() / "out.json"), nullptr, false);
    ASSERT_TRUE(written.is_object()) << slurp(folder.path() / "out.json");
    EXPECT_EQ(written["outputs"]["y"]["data"], rope_result());
    fs::remove(folder.path() / "out.json");
  }
}

TEST(Streams, ARequestFromAClosedInputIsABadRequest) {
  const TemporaryFolder folder;
  const auto result = script(folder, "wgk run ai.onnx.RotaryEmbedding --request - --device cpu --json <&-");
  expect_error(result, 4, "request", "request: does not parse");
}

/// The time limit is for the device: it must not end a command whose reader takes longer.
TEST(Streams, ASlowReaderIsNoHangingDevice) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  json request = rope_request();
  // Twenty thousand numbers: more text than a pipe holds.
  request["inputs"]["x"] = {
      {"dtype", "float32"}, {"shape", {1, 1, 5000, 4}}, {"data", {{"kind", "fill"}, {"value", 0.3}}}};
  request["inputs"]["positionIds"] = {
      {"dtype", "int64"}, {"shape", {1, 5000}}, {"data", {{"kind", "fill"}, {"value", 1}}}};
  folder.write("rope.json", request.dump());
  const auto result = script(folder,
                             "wgk run ai.onnx.RotaryEmbedding --request rope.json --device software --timeout 8 --json"
                             " | (sleep 10; cat) > out.json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(slurp(folder.path() / "out.json"))["outputs"]["y"]["data"].size(), 20000U);
}

}  // namespace
}  // namespace wgk::test
