// Files that change while a package is loaded: what was hashed is what is used, and nothing outside is read.
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "package/load.h"
#include "package/sources.h"
#include "support/package_folder.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

constexpr const char* kShader = "double.wgsl.jinja";

std::map<std::string, std::string> good_files() {
  auto files = test::double_package_files();
  files["metadata.json"] = test::metadata_for(files, "test.Double", kShader);
  return files;
}

/// Gives the right bytes of each file once, and others ever after.
class ChangingSource : public Source {
 public:
  Result<std::string> read(std::string_view path, std::uint64_t) const override {
    const std::string name(path);
    return reads_[name]++ == 0 ? files_.at(name) : "changed";
  }
  const std::map<std::string, int>& reads() const { return reads_; }

 private:
  std::map<std::string, std::string> files_ = good_files();
  mutable std::map<std::string, int> reads_;
};

TEST(Race, EveryFileIsReadOnce) {
  const ChangingSource source;
  const auto loaded = load_package(source, "pkg", {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ((*loaded)->files.at(kShader).text, good_files().at(kShader));
  const std::map<std::string, int> once = {{"metadata.json", 1}, {"manifest.json", 1}, {kShader, 1}};
  EXPECT_EQ(source.reads(), once);
}

/// Does something over and over on another thread while this object lives.
class Meanwhile {
 public:
  explicit Meanwhile(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          while (!done_) work();
        }) {}
  ~Meanwhile() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

/// Loads again and again while `change` goes on; every success holds the right template.
void expect_only_good(const std::string& folder, const std::function<void()>& change, const LoadOptions& options,
                      const std::string& forbidden) {
  const std::string good = good_files().at(kShader);
  int loads = 0;
  const Meanwhile changing(change);
  for (int i = 0; i < 300; ++i) {
    const auto loaded = load_package(DirectorySource(fs::path(folder) / "build" / "webgpu"), "pkg", options);
    if (!loaded.ok()) continue;
    const std::string& text = (*loaded)->files.at(kShader).text;
    if (options.verify_digests) {
      EXPECT_EQ(text, good);
      EXPECT_EQ(text.find(forbidden), std::string::npos);
    }
    ++loads;
  }
  ::testing::Test::RecordProperty("loads", loads);
}

TEST(Race, AFileThatIsReplaced) {
  const TemporaryFolder folder;
  auto files = good_files();
  const std::string metadata = files.at("metadata.json");
  files.erase("metadata.json");
  const std::string package = test::write_package(folder, "p", files, metadata);
  const fs::path shader = fs::path(package) / "build" / "webgpu" / kShader;
  bool evil = false;
  expect_only_good(
      package,
      [&] {
        evil = !evil;
        folder.write("next", evil ? "evil" : files.at(kShader));
        fs::rename(folder.path() / "next", shader);
      },
      {}, "evil");
}

TEST(Race, AFileThatGrowsAndShrinks) {
  const TemporaryFolder folder;
  auto files = good_files();
  const std::string metadata = files.at("metadata.json");
  files.erase("metadata.json");
  const std::string package = test::write_package(folder, "p", files, metadata);
  const fs::path shader = fs::path(package) / "build" / "webgpu" / kShader;
  const auto size = fs::file_size(shader);
  std::uintmax_t extra = 0;
  expect_only_good(
      package, [&] { fs::resize_file(shader, size + (extra = extra == 0 ? 100'000 : 0)); }, {}, std::string("\0", 1));
}

/// The path is a right file one moment and a link out of the package the next. Digests are off, so that only the
/// containment stands in the way.
TEST(Race, AFileThatBecomesALink) {
  const TemporaryFolder folder;
  folder.write("secret", "secret");
  auto files = good_files();
  const std::string metadata = files.at("metadata.json");
  files.erase("metadata.json");
  const std::string package = test::write_package(folder, "p", files, metadata);
  const fs::path shader = fs::path(package) / "build" / "webgpu" / kShader;
  bool link = false;
  LoadOptions unchecked;
  unchecked.verify_digests = false;
  expect_only_good(
      package,
      [&] {
        link = !link;
        const fs::path next = folder.path() / "next";
        if (link) {
          fs::create_symlink(folder.path() / "secret", next);
        } else {
          folder.write("next", files.at(kShader));
        }
        fs::rename(next, shader);
      },
      unchecked, "secret");
}

/// The same with a folder on the way.
TEST(Race, AFolderThatBecomesALink) {
  const TemporaryFolder folder;
  folder.write("outside/a.wgsl", "secret");
  folder.write("in/sub/a.wgsl", "inside");
  const fs::path sub = folder.path() / "in" / "sub";
  const fs::path kept = folder.path() / "kept";
  const Meanwhile changing([&] {
    std::error_code ignored;
    fs::rename(sub, kept, ignored);
    fs::create_directory_symlink(folder.path() / "outside", sub, ignored);
    fs::remove(sub, ignored);
    fs::rename(kept, sub, ignored);
  });
  for (int i = 0; i < 2000; ++i) {
    const auto text = read_contained(folder.path() / "in", "sub/a.wgsl", 100);
    if (text.ok()) {
      EXPECT_EQ(*text, "inside");
    }
  }
}

}  // namespace
}  // namespace wgk::package
