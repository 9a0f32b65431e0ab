// The command line about the Hub: fetch, lock, cache, and run with references.
#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "hub/fake_hub.h"

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

const char* const kDouble = "webgpu-kernels/test.Double@v1";
const char* const kRope = "webgpu-kernels/ai.onnx.RotaryEmbedding";

std::string program() { return std::string(WGK_BINARY_DIR) + "/wgk"; }

ProcessResult wgk(const World& world, std::vector<std::string> arguments, const std::string& directory,
                  const std::vector<std::pair<std::string, std::string>>& more = {}) {
  arguments.insert(arguments.begin(), program());
  ProcessOptions options;
  options.directory = directory;
  options.environment = world.environment();
  options.environment.insert(options.environment.end(), more.begin(), more.end());
  return run_process(arguments, options);
}

json output_of(const ProcessResult& result) {
  json parsed = json::parse(result.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << result.out << result.err;
  return parsed;
}

/// The package that is shipped, as a repository in two revisions which differ in their test cases.
void add_rope(World& world) {
  std::map<std::string, std::string> files;
  const fs::path folder = fs::path(WGK_SOURCE_DIR) / "kernels/ai.onnx.RotaryEmbedding/build/webgpu";
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  world.add(kRope, kFirst, files);
  files["test.json"] = R"({"cases": []})";
  json metadata = json::parse(files["metadata.json"]);
  metadata["digest"]["files"]["test.json"] = base::sha256_base64(files["test.json"]);
  files["metadata.json"] = metadata.dump();
  world.add(kRope, kSecond, files);
  world.set_branch(kRope, "v1", kFirst);
}

const std::string kRequest = std::string(WGK_SOURCE_DIR) + "/examples/rope.json";

TEST(Command, FetchListVerifyRunOffline) {
  World world;
  add_rope(world);
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  const std::string reference = std::string(kRope) + "@v1";
  const json fetched = output_of(wgk(world, {"fetch", reference, "--json"}, here))["packages"][0];
  EXPECT_EQ(fetched["reference"], reference);
  EXPECT_EQ(fetched["revision"], kFirst);
  EXPECT_EQ(fetched["branches"], json({"v1"}));
  EXPECT_TRUE(fetched["downloaded"]);

  const json list = output_of(wgk(world, {"cache", "list", "--json"}, here))["packages"];
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["repository"], kRope);
  EXPECT_EQ(list[0]["folder"], fetched["folder"]);
  EXPECT_EQ(wgk(world, {"cache", "verify"}, here).exit_code, 0);

  world.forget_requests();
  const std::vector<std::string> run = {"run", reference, "--request", kRequest, "--device", "cpu", "--json"};
  const json result = output_of(wgk(world, run, here, {{"HF_HUB_OFFLINE", "1"}}));
  EXPECT_EQ(result["outputs"]["y"]["data"], json({-2, 1, 3, 4, -5, -6, -8, 7}));
  EXPECT_EQ(world.requests().size(), 0u);
  // By version and by revision, and what other commands make of the same reference.
  EXPECT_EQ(wgk(world, {"inspect", kRope, "--version", "1", "--offline", "--json"}, here).exit_code, 0);
  EXPECT_EQ(wgk(world, {"inspect", kRope, "--revision", kFirst, "--offline"}, here).exit_code, 0);
  world.add_double();
  EXPECT_EQ(wgk(world, {"verify", kDouble, "--no-device"}, here).exit_code, 0);
  fs::remove_all(fs::path(world.cache()) / "kernels--webgpu-kernels--test.Double");

  std::ofstream(fetched["folder"].get<std::string>() + "/build/webgpu/test.json", std::ios::app) << " ";
  const ProcessResult broken = wgk(world, {"cache", "verify", "--json"}, here);
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_EQ(output_of(broken)["packages"][0]["problems"], json({"test.json does not match metadata.json"}));
  EXPECT_EQ(wgk(world, {"fetch", reference}, here).exit_code, 0) << "fetch repairs";
  EXPECT_EQ(wgk(world, {"cache", "verify"}, here).exit_code, 0);
  const ProcessResult pruned = wgk(world, {"cache", "prune", "--dry-run"}, here);
  EXPECT_EQ(pruned.out, "would remove 0, 0 bytes\n");
}

TEST(Command, RunDownloadsWhatIsNotThere) {
  World world;
  add_rope(world);
  const TemporaryFolder folder;
  const ProcessResult result =
      wgk(world, {"run", std::string(kRope) + "@" + kFirst, "--request", kRequest, "--device", "cpu", "--json"},
          folder.path().string());
  EXPECT_EQ(output_of(result)["outputs"]["y"]["data"], json({-2, 1, 3, 4, -5, -6, -8, 7}));
}

TEST(Command, LockHoldsRun) {
  World world;
  add_rope(world);
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  const std::string reference = std::string(kRope) + "@v1";
  const json locked = output_of(wgk(world, {"lock", reference, "--json"}, here));
  EXPECT_EQ(locked["file"], "wgk.lock");
  EXPECT_TRUE(locked["changed"]);
  EXPECT_EQ(wgk(world, {"lock", "--check"}, here).exit_code, 0);

  // The branch moves: who runs here stays where the lock file says; --check sees that it would change.
  world.set_branch(kRope, "v1", kSecond);
  EXPECT_EQ(wgk(world, {"fetch", reference}, here).exit_code, 0);
  // The two revisions differ in test.json.
  const auto digest_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"inspect", reference, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return output_of(wgk(world, arguments, here))["files"]["test.json"].get<std::string>();
  };
  EXPECT_NE(digest_of({}), base::sha256_base64(R"({"cases": []})"));
  EXPECT_EQ(digest_of({"--no-lock"}), base::sha256_base64(R"({"cases": []})"));
  EXPECT_EQ(wgk(world, {"lock", "--check"}, here).exit_code, 1);
  // A new machine gets what the file says, and checks it without a network.
  fs::remove_all(fs::path(world.cache()) / "kernels--webgpu-kernels--ai.onnx.RotaryEmbedding");
  EXPECT_EQ(wgk(world, {"fetch", "--locked", "--offline"}, here).exit_code, 3);
  EXPECT_EQ(wgk(world, {"fetch", "--locked"}, here).exit_code, 0);
  EXPECT_EQ(wgk(world, {"fetch", "--locked", "--offline"}, here).exit_code, 0);

  // Other references, and other bytes of the same operator, are refused: here the shipped folder with other cases.
  const std::vector<std::string> options = {"--request", kRequest, "--device", "cpu", "--json"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), options.begin(), options.end());
    return wgk(world, arguments, here);
  };
  EXPECT_EQ(run({reference}).exit_code, 0);
  const ProcessResult other = run({std::string(kRope) + "@v2"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(output_of(other)["error"]["code"], "check");
  const fs::path copy = folder.path() / "copy";
  fs::copy(std::string(WGK_SOURCE_DIR) + "/kernels/ai.onnx.RotaryEmbedding", copy, fs::copy_options::recursive);
  EXPECT_EQ(run({copy.string()}).exit_code, 0) << "the same bytes";
  folder.write("copy/build/webgpu/bench.json", "{}");
  ASSERT_EQ(wgk(world, {"pack", copy.string()}, here).exit_code, 0);
  const ProcessResult differs = run({copy.string()});
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_NE(differs.err.find("bench.json differs"), std::string::npos) << differs.err;
  EXPECT_EQ(run({copy.string(), "--no-lock"}).exit_code, 0);
}

TEST(Command, ErrorsHaveTheirExitCodes) {
  World world;
  world.add_double();
  const TemporaryFolder folder;
  struct Row {
    std::vector<std::string> arguments;
    int exit_code;
    const char* part;
  };
  for (const Row& row : std::vector<Row>{
           {{"fetch"}, 2, "name a package"},
           {{"fetch", "--locked"}, 2, "wgk.lock"},
           {{"fetch", "test.Double"}, 2, "no reference"},
           {{"fetch", "webgpu-kernels/test.Double"}, 2, "say which version"},
           {{"fetch", "someone/test.Double@v1"}, 2, "--trust"},
           {{"fetch", "someone/test.Double@v1", "--trust"}, 3, "not found (404)"},
           {{"fetch", "webgpu-kernels/test.Double@v3"}, 3, "no revision \"v3\""},
           {{"fetch", kDouble, "--offline"}, 3, "not in the cache"},
           {{"run", "webgpu-kernels/test.Double", "--request", "-"}, 3, "webgpu-kernels/test.Double@v1"},
           {{"lock"}, 2, "name a package"},
           {{"cache"}, 2, "subcommand"},
       }) {
    std::vector<std::string> arguments = row.arguments;
    arguments.push_back("--json");
    if (row.arguments[0] == "cache") arguments.pop_back();
    const ProcessResult result = wgk(world, arguments, folder.path().string());
    EXPECT_EQ(result.exit_code, row.exit_code) << row.arguments.back() << result.err;
    EXPECT_NE(result.err.find(row.part), std::string::npos) << result.err;
  }
  EXPECT_EQ(world.cached_files(), std::vector<std::string>{});
}

TEST(Command, NeverPrintsTheToken) {
  World world;
  world.add_double();
  world.set_token("hf_RightToken");
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  for (const std::string& token : {std::string("hf_RightToken"), std::string("hf_WrongToken")}) {
    const ProcessResult result = wgk(world, {"fetch", kDouble, "--verbose", "--json"}, here, {{"HF_TOKEN", token}});
    EXPECT_EQ(result.exit_code, token == "hf_RightToken" ? 0 : 3) << result.err;
    EXPECT_NE(result.err.find("GET http://127.0.0.1"), std::string::npos) << result.err;
    EXPECT_EQ((result.out + result.err).find(token), std::string::npos);
  }
}

TEST(Command, KilledFetchLeavesNothing) {
  World world;
  world.add_double();
  world.add_fault({{"match", "test.json"}, {"kind", "slow"}, {"bytes", 3}, {"seconds", 60}});
  const pid_t child = ::fork();
  if (child == 0) {
    for (const auto& [name, value] : world.environment()) ::setenv(name.c_str(), value.c_str(), 1);
    ::execl(program().c_str(), "wgk", "fetch", kDouble, nullptr);
    ::_exit(127);
  }
  const auto last_is_asked = [&] {
    const auto requests = world.requests();
    return !requests.empty() && requests.back().is_object() &&
           requests.back()["path"].get<std::string>().find("test.json") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !last_is_asked(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(last_is_asked());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(world.cached_files(), std::vector<std::string>{});
  EXPECT_TRUE(list_cache(world.options())->empty());
  // Its lock went with it, and the next one gets through.
  world.clear_faults();
  EXPECT_TRUE(fetch_package(reference_to(kDouble), world.options()));
}

TEST(Command, ConcurrentProcessesShareOneDownload) {
  World world;
  world.add_double();
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  std::array<ProcessResult, 3> results;
  for (ProcessResult& result : results) {
    threads.emplace_back([&] { result = wgk(world, {"fetch", kDouble, "--json"}, folder.path().string()); });
  }
  for (std::thread& thread : threads) thread.join();
  int downloaded = 0;
  for (const ProcessResult& result : results) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    downloaded += output_of(result)["packages"][0]["downloaded"].get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(downloaded, 1);
}

TEST(Command, ShowsProgressOnATerminalOnly) {
  World world;
  world.add_double();
  ProcessOptions options;
  options.environment = world.environment();
  const std::string on_terminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
  const ProcessResult result =
      run_process({"/usr/bin/env", "python3", "-c", on_terminal, program(), "fetch", kDouble}, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("\r\x1b[K" + std::string(kDouble) + ": "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("4/4 files"), std::string::npos) << result.out;
  EXPECT_EQ(wgk(world, {"fetch", kDouble}, "/").err, "");
}

TEST(Command, EverySubcommandHasAnExample) {
  World world;
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"fetch"}, {"lock"}, {"cache"}, {"cache", "list"}, {"cache", "verify"}, {"cache", "prune"}, {"onnx-node"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    const ProcessResult result = wgk(world, arguments, "/");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out.find("Example:\n  wgk " + command[0]), std::string::npos) << result.out;
  }
}

TEST(Embed, ChecksDigestsWhenItBuilds) {
  const TemporaryFolder folder;
  const auto embed = [&](const std::string& package) {
    return run_process({"/usr/bin/env", "cmake", "-DPACKAGES=" + package, "-DNAMESPACE=test",
                        "-DOUTPUT=" + folder.path().string(), "-P",
                        std::string(WGK_SOURCE_DIR) + "/cmake/WgkEmbedPackages.cmake"});
  };
  auto files = double_files();
  const std::string metadata = files["metadata.json"];
  files.erase("metadata.json");
  const std::string package = write_package(folder, "p", files, metadata);
  const ProcessResult good = embed(package);
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_TRUE(fs::exists(folder.path() / "test.cpp"));
  folder.write("p/build/webgpu/double.wgsl.jinja", "// changed");
  const ProcessResult bad = embed(package);
  EXPECT_NE(bad.exit_code, 0);
  EXPECT_NE(bad.err.find("double.wgsl.jinja does not match"), std::string::npos) << bad.err;
  folder.write("p/build/webgpu/metadata.json", "{}");
  EXPECT_NE(embed(package).exit_code, 0);
}

}  // namespace
}  // namespace wgk::test
