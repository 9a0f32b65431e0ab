// fetch_package against a server on the loopback: what is asked, what lands in the cache, what goes wrong.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "hub/blob_name.h"
#include "hub/fake_hub.h"

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

const char* const kReference = "webgpu-kernels/test.Double@v1";

std::string repository_folder(const World& world) { return world.cache() + "/kernels--webgpu-kernels--test.Double"; }

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(BlobName, IsWhatGitCallsTheContent) {
  // git hash-object /dev/null; printf 'hello\n' | git hash-object --stdin
  EXPECT_EQ(hub::blob_name(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(hub::blob_name("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(Fetch, FillsTheCacheInTheLayoutOfTheHub) {
  World world;
  world.add_double();
  const auto fetched = fetch_package(reference_to(kReference), world.options());
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(fetched->downloaded);
  EXPECT_EQ(fetched->package.revision, kFirst);
  EXPECT_EQ(fetched->package.branches, std::vector<std::string>{"v1"});
  EXPECT_EQ(fetched->files_received, 4u);

  const fs::path repository = repository_folder(world);
  EXPECT_EQ(text_of(repository / "refs/v1"), kFirst);
  const auto files = double_files();
  for (const auto& [path, text] : files) {
    const fs::path link = repository / "snapshots" / kFirst / "build/webgpu" / path;
    EXPECT_EQ(text_of(link), text) << path;
    EXPECT_EQ(fs::read_symlink(link), "../../../../blobs/" + hub::blob_name(text)) << path;
  }
  EXPECT_EQ(world.cached_files().size(), 2 * files.size() + 1) << "blobs, links, and refs/v1";
  EXPECT_TRUE(Package::load(fetched->package.folder)) << "a snapshot is a package folder";

  std::vector<std::string> asked;
  for (const json& request : world.requests()) {
    const std::string path = request["path"];
    asked.push_back(path.substr(path.find("/kernels/")));
    EXPECT_EQ(request["authorization"], "");
  }
  const std::string base = "/kernels/webgpu-kernels/test.Double/resolve/";
  EXPECT_EQ(asked, (std::vector<std::string>{
                       base + "v1/build/webgpu/metadata.json", base + kFirst + "/build/webgpu/double.wgsl.jinja",
                       base + kFirst + "/build/webgpu/manifest.json", base + kFirst + "/build/webgpu/test.json"}));

  // Again: only what the branch means is asked.
  world.forget_requests();
  const auto again = fetch_package(reference_to(kReference), world.options());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->downloaded);
  EXPECT_EQ(world.requests().size(), 1u);
  // A commit in the cache needs no question at all.
  world.forget_requests();
  ASSERT_TRUE(fetch_package(reference_to("webgpu-kernels/test.Double@" + kFirst), world.options()));
  EXPECT_EQ(world.requests().size(), 0u);
}

TEST(Fetch, FollowsABranchAndLoadsOnlyWhatChanged) {
  World world;
  world.add_double(kFirst);
  ASSERT_TRUE(fetch_package(reference_to(kReference), world.options()));
  world.add_double(kSecond, "// changed\n");
  world.forget_requests();
  const auto fetched = fetch_package(reference_to(kReference), world.options());
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->package.revision, kSecond);
  EXPECT_EQ(text_of(repository_folder(world) + "/refs/v1"), kSecond);
  EXPECT_EQ(world.requests().size(), 2u) << "metadata.json and the template";
  EXPECT_EQ(list_cache(world.options())->size(), 2u) << "the old revision stays";
}

struct Failure {
  const char* name;
  std::function<void(World&)> prepare;
  ErrorCode code;
  const char* part;  ///< of the message
};

json fault(const char* match, json more) {
  more["match"] = match;
  return more;
}

void expect_failures(const std::vector<Failure>& failures) {
  for (const Failure& failure : failures) {
    SCOPED_TRACE(failure.name);
    World world;
    world.add_double();
    failure.prepare(world);
    HubOptions options = world.options();
    options.attempts = 2;
    const auto fetched = fetch_package(reference_to(kReference), options);
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, failure.code) << fetched.error().message;
    EXPECT_NE(fetched.error().message.find(failure.part), std::string::npos) << fetched.error().message;
    EXPECT_EQ(fetched.error().message.find(kReference), 0u) << fetched.error().message;
    EXPECT_EQ(world.cached_files(), std::vector<std::string>{});
  }
}

TEST(Fetch, SaysWhatToDoWhenItIsRefused) {
  expect_failures(
      {{"no such repository",
        [](World& w) {
          w.add_fault(fault("metadata", {{"kind", "status"}, {"status", 404}}));
        },
        ErrorCode::kPackage, "not found (404): check the spelling"},
       {"no such revision", [](World& w) { w.set_branch(kRepository, "v1", kSecond); }, ErrorCode::kPackage,
        "the repository has no revision \"v1\" (404)"},
       {"no package",
        [](World& w) {
          w.add_fault(fault("metadata",
                            {{"kind", "status"}, {"status", 404}, {"headers", {{"X-Error-Code", "EntryNotFound"}}}}));
        },
        ErrorCode::kPackage, "no WebGPU package"},
       {"a listed file is not there",
        [](World& w) {
          w.add_fault(fault("test.json",
                            {{"kind", "status"}, {"status", 404}, {"headers", {{"X-Error-Code", "EntryNotFound"}}}}));
        },
        ErrorCode::kPackage, "the repository has no build/webgpu/test.json (404)"},
       {"no token", [](World& w) { w.set_token("hf_secret"); }, ErrorCode::kPackage,
        "no access (401): the repository does not exist, or it is private and needs a token in HF_TOKEN"},
       {"gated",
        [](World& w) {
          w.add_fault(
              fault("metadata", {{"kind", "status"}, {"status", 403}, {"headers", {{"X-Error-Code", "GatedRepo"}}}}));
        },
        ErrorCode::kPackage, "accept its conditions at http://127.0.0.1"},
       {"too many requests, come back in an hour",
        [](World& w) {
          w.add_fault(fault("metadata", {{"kind", "status"}, {"status", 429}, {"headers", {{"Retry-After", "3600"}}}}));
        },
        ErrorCode::kPackage, "too many requests (429); try again in 3600 s"},
       {"the Hub is down",
        [](World& w) {
          w.add_fault(fault("manifest", {{"kind", "status"}, {"status", 503}}));
        },
        ErrorCode::kPackage, "the Hub fails (503)"},
       {"no Hub",
        [](World& w) {
          w.add_fault(fault("metadata", {{"kind", "plain"}}));
        },
        ErrorCode::kPackage, "no X-Repo-Commit"},
       {"a page instead of a file",
        [](World& w) {
          w.add_fault(fault("metadata", {{"kind", "replace"}, {"body", "<html>"}}));
        },
        ErrorCode::kPackage, "metadata.json does not parse"}});
}

TEST(Fetch, KeepsNothingThatIsDamaged) {
  expect_failures({{"a manifest with another digest",
                    [](World& w) {
                      w.add_fault(fault("manifest", {{"kind", "corrupt"}}));
                    },
                    ErrorCode::kPackage, "manifest.json does not match metadata.digest.files"},
                   {"the last file with another digest",
                    [](World& w) {
                      w.add_fault(fault("test.json", {{"kind", "corrupt"}}));
                    },
                    ErrorCode::kPackage, "test.json does not match metadata.digest.files"},
                   {"too large",
                    [](World& w) {
                      w.add_fault(fault("metadata", {{"kind", "replace"}, {"body", std::string((1u << 20) + 1, ' ')}}));
                    },
                    ErrorCode::kPackage, "it is larger than 1048576 bytes"},
                   {"cut short for ever",
                    [](World& w) {
                      w.add_fault(fault("manifest", {{"kind", "truncate"}, {"bytes", 0}}));
                    },
                    ErrorCode::kPackage, "no complete answer from http://127.0.0.1"},
                   {"reset at once",
                    [](World& w) {
                      w.add_fault(fault("manifest", {{"kind", "reset"}, {"stage", "connect"}}));
                    },
                    ErrorCode::kPackage, "after 2 attempts"},
                   {"reset in the headers",
                    [](World& w) {
                      w.add_fault(fault("manifest", {{"kind", "reset"}, {"stage", "headers"}}));
                    },
                    ErrorCode::kPackage, "after 2 attempts"},
                   {"reset in the body",
                    [](World& w) {
                      w.add_fault(fault("manifest", {{"kind", "reset"}, {"stage", "body"}, {"bytes", 0}}));
                    },
                    ErrorCode::kPackage, "after 2 attempts"},
                   {"not HTTP",
                    [](World& w) {
                      w.add_fault(fault("manifest", {{"kind", "garbage"}}));
                    },
                    ErrorCode::kPackage, "http://127.0.0.1"},
                   {"redirects without end",
                    [](World& w) {
                      w.add_fault(fault("metadata", {{"kind", "redirect"}, {"location", "metadata.json?again"}}));
                    },
                    ErrorCode::kPackage, "redirects again and again"},
                   {"a redirect to another protocol",
                    [](World& w) {
                      w.add_fault(fault("metadata", {{"kind", "redirect"}, {"location", "file:///etc/passwd"}}));
                    },
                    ErrorCode::kPackage, "a redirect that cannot be followed"},
                   {"another operator",
                    [](World& w) {
                      auto files = double_package_files();
                      files["manifest.json"].replace(files["manifest.json"].find("Double"), 6, "Triple");
                      files["metadata.json"] = metadata_for(files, "test.Triple", "double.wgsl.jinja");
                      w.add(kRepository, kFirst, files);
                    },
                    ErrorCode::kPackage, "repo basename test.Double does not match the manifest op id test.Triple"},
                   {"a path that leaves the package",
                    [](World& w) {
                      auto files = double_files();
                      files["metadata.json"].replace(files["metadata.json"].find("test.json"), 9, "../t.json");
                      w.add(kRepository, kFirst, files);
                    },
                    ErrorCode::kPackage, "is not a canonical relative path"},
                   {"a manifest that does not load",
                    [](World& w) {
                      auto files = double_package_files();
                      files["manifest.json"] = "{}";
                      files["metadata.json"] = metadata_for(files, "test.Double", "double.wgsl.jinja");
                      w.add(kRepository, kFirst, files);
                    },
                    ErrorCode::kPackage, "WebGPU manifest requires name"}});
}

struct Recovery {
  const char* name;
  json fault;
  std::size_t requests;  ///< of manifest.json
};

TEST(Fetch, GoesOnAfterWhatPasses) {
  const std::vector<Recovery> recoveries = {
      {"busy", {{"kind", "status"}, {"status", 503}, {"times", 2}}, 3},
      {"too many requests",
       {{"kind", "status"}, {"status", 429}, {"headers", {{"Retry-After", "0"}}}, {"times", 1}},
       2},
      {"reset at once", {{"kind", "reset"}, {"stage", "connect"}, {"times", 2}}, 3},
      {"reset in the headers", {{"kind", "reset"}, {"stage", "headers"}, {"times", 1}}, 2},
      {"reset in the body", {{"kind", "reset"}, {"stage", "body"}, {"bytes", 100}, {"times", 1}}, 2},
      {"cut short", {{"kind", "truncate"}, {"bytes", 100}, {"times", 2}}, 3},
  };
  for (Recovery recovery : recoveries) {
    SCOPED_TRACE(recovery.name);
    World world;
    world.add_double();
    recovery.fault["match"] = "manifest.json";
    world.add_fault(recovery.fault);
    const auto fetched = fetch_package(reference_to(kReference), world.options());
    ASSERT_TRUE(fetched) << fetched.error().message;
    std::size_t asked = 0;
    for (const json& request : world.requests()) {
      asked += request["path"].get<std::string>().find("manifest.json") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(asked, recovery.requests);
  }
}

TEST(Fetch, WaitsAsLongAsItIsAsked) {
  World world;
  world.add_double();
  world.add_fault(
      fault("metadata", {{"kind", "status"}, {"status", 429}, {"headers", {{"Retry-After", "1"}}}, {"times", 1}}));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(fetch_package(reference_to(kReference), world.options()));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Fetch, ResumesWhatWasCutShort) {
  World world;
  world.add_double();
  world.add_fault(fault("manifest", {{"kind", "truncate"}, {"bytes", 100}, {"times", 1}}));
  world.add_fault(fault("double.wgsl", {{"kind", "truncate"}, {"bytes", 50}, {"times", 1}}));
  world.add_fault(fault("double.wgsl", {{"kind", "norange"}}));
  const auto fetched = fetch_package(reference_to(kReference), world.options());
  ASSERT_TRUE(fetched) << fetched.error().message;
  std::map<std::string, std::vector<std::string>> ranges;
  for (const json& request : world.requests()) {
    const std::string path = request["path"];
    ranges[path.substr(path.rfind('/') + 1)].push_back(request["range"]);
  }
  EXPECT_EQ(ranges["manifest.json"], (std::vector<std::string>{"", "bytes=100-"}));
  EXPECT_EQ(ranges["double.wgsl.jinja"], (std::vector<std::string>{"", "bytes=50-"})) << "the whole file is fine too";
}

TEST(Fetch, GivesUpOnAServerThatIsSilent) {
  World world;
  world.add_double();
  world.add_fault(fault("manifest", {{"kind", "slow"}, {"bytes", 10}, {"seconds", 5}}));
  HubOptions options = world.options();
  options.timeout = std::chrono::milliseconds(500);
  options.attempts = 1;
  const auto start = std::chrono::steady_clock::now();
  const auto fetched = fetch_package(reference_to(kReference), options);
  ASSERT_FALSE(fetched);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_NE(fetched.error().message.find("no complete answer"), std::string::npos) << fetched.error().message;
  EXPECT_EQ(world.cached_files(), std::vector<std::string>{});
}

TEST(Fetch, ReportsAServerThatIsNotThere) {
  World world;
  HubOptions options = world.options();
  options.endpoint = "http://127.0.0.1:1";
  options.attempts = 2;
  const auto fetched = fetch_package(reference_to(kReference), options);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kPackage);
  EXPECT_NE(fetched.error().message.find("check the connection and HTTPS_PROXY"), std::string::npos);
}

TEST(Fetch, IsSafeFromSeveralThreads) {
  World world;
  world.add_double();
  std::vector<std::thread> threads;
  std::atomic<int> downloaded{0};
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto fetched = fetch_package(reference_to(kReference), world.options());
      if (!fetched) return;
      downloaded += fetched->downloaded ? 1 : 0;
      right += Package::load(fetched->package.folder) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
  EXPECT_EQ(downloaded, 1) << "the others wait and find it";
  EXPECT_EQ(world.requests().size(), 4u + 3u);
}

TEST(Fetch, RepairsAndCompletesRevisions) {
  World world;
  world.add_double();
  ASSERT_TRUE(fetch_package(reference_to(kReference), world.options()));
  const fs::path snapshot = fs::path(repository_folder(world)) / "snapshots" / kFirst;
  const fs::path manifest = snapshot / "build/webgpu/manifest.json";
  const std::vector<std::function<void()>> damages = {
      [&] { std::ofstream(manifest, std::ios::trunc) << "{}"; },  // through the link: the content itself
      [&] { fs::remove(manifest); },
      [&] { fs::remove(snapshot / "build/webgpu/metadata.json"); },
      [&] { fs::remove_all(snapshot / "build/webgpu"); },
      [&] { fs::remove_all(snapshot); },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(i);
    world.write("keep", "");
    if (fs::exists(snapshot)) {
      fs::create_directories(snapshot / "build/torch-cpu");
      std::ofstream(snapshot / "build/torch-cpu/other") << "of another tool";
    }
    damages[i]();
    for (const std::string& revision : {std::string("v1"), kFirst}) {
      const auto fetched = fetch_package(reference_to("webgpu-kernels/test.Double@" + revision), world.options());
      ASSERT_TRUE(fetched) << fetched.error().message;
    }
    EXPECT_EQ(text_of(manifest), double_files()["manifest.json"]);
    EXPECT_TRUE(verify_cache(world.options())->front().problems.empty());
    EXPECT_EQ(fs::exists(snapshot / "build/torch-cpu/other"), i + 1 < damages.size());
  }
}

TEST(Fetch, ReportsACacheThatCannotBeWritten) {
  World world;
  world.add_double();
  HubOptions options = world.options();
  options.cache = FakeHub::instance().certificate;  // a file
  const auto fetched = fetch_package(reference_to(kReference), options);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kUsage);
  EXPECT_NE(fetched.error().message.find("the cache cannot be written"), std::string::npos) << fetched.error().message;
}

TEST(Fetch, ReportsProgress) {
  World world;
  world.add_double();
  HubOptions options = world.options();
  FetchProgress last;
  options.progress = [&](const FetchProgress& progress) { last = progress; };
  const auto fetched = fetch_package(reference_to(kReference), options);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(last.reference, kReference);
  EXPECT_EQ(last.files_done, 4u);
  EXPECT_EQ(last.files_total, 4u);
  std::uint64_t bytes = 0;
  for (const auto& [path, text] : double_files()) bytes += text.size();
  EXPECT_EQ(last.bytes, bytes);
  EXPECT_EQ(fetched->bytes_received, bytes);
}

}  // namespace
}  // namespace wgk::test
