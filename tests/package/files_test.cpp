// Files of a package: what may be read, and where packages are found.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <wgk/package.hpp>

#include "package/identifiers.h"
#include "package/locate.h"
#include "package/sources.h"
#include "support/package_folder.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string text_or_error(const fs::path& folder, std::string_view path, std::uint64_t limit = 100) {
  auto text = read_contained(folder, path, limit);
  return text.ok() ? "text: " + *text : text.error().message;
}

TEST(Contained, RegularFilesInside) {
  const TemporaryFolder folder;
  folder.write("in/a.wgsl", "abc");
  folder.write("in/sub/b", "");
  fs::create_symlink("a.wgsl", folder.path() / "in/link");
  fs::create_directory_symlink("sub", folder.path() / "in/dir");
  fs::create_directory_symlink(folder.path() / "in", folder.path() / "root");
  for (const char* root : {"in", "root"}) {
    EXPECT_EQ(text_or_error(folder.path() / root, "a.wgsl"), "text: abc");
    EXPECT_EQ(text_or_error(folder.path() / root, "link"), "text: abc");
    EXPECT_EQ(text_or_error(folder.path() / root, "dir/b"), "text: ");
  }
  EXPECT_EQ(text_or_error(folder.path() / "in", "a.wgsl", 3), "text: abc");
  EXPECT_EQ(text_or_error(folder.path() / "in", "a.wgsl", 2), "a.wgsl is 3 bytes; the limit is 2");
  EXPECT_EQ(text_or_error(folder.path() / "in", "c"), "cannot read build/webgpu/c: No such file or directory");
}

TEST(Contained, NothingElse) {
  const TemporaryFolder folder;
  folder.write("in/a", "abc");
  folder.write("secret", "s");
  folder.write("in2/b", "s");  // a sibling whose path begins with that of the folder
  const fs::path in = folder.path() / "in";
  fs::create_symlink("../secret", in / "out");
  fs::create_symlink(folder.path() / "secret", in / "absolute");
  fs::create_symlink("../in2/b", in / "sibling");
  fs::create_directory_symlink("..", in / "up");
  fs::create_symlink("loop", in / "loop");
  fs::create_directory(in / "folder");
  fs::create_symlink("/dev/null", in / "device");
  ASSERT_EQ(::mkfifo((in / "fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", in / "link");
  for (const auto& [path, what] : {std::pair("folder", "a folder"), {"fifo", "a pipe"}, {"link", "a pipe"}}) {
    EXPECT_EQ(text_or_error(in, path),
              fmt::format("{} resolves outside the package: it is {}, not a regular file", path, what));
  }
  for (const char* path : {"out", "absolute", "sibling", "up/secret", "device"}) {
    EXPECT_EQ(text_or_error(in, path), fmt::format("{} resolves outside the package", path));
  }
  EXPECT_EQ(text_or_error(in, "loop"), "cannot read build/webgpu/loop: Too many levels of symbolic links");
  const std::string_view spellings[] = {
      "../secret", "folder/../a", "/etc/hostname", "",   ".a/", "a//b", "folder\\a",
      "C:/a",      "C:a",         "\\\\host\\a",   " a", "a\n", "a?",   std::string_view("a\0b", 3)};
  for (const std::string_view path : spellings) {
    EXPECT_EQ(text_or_error(in, path), fmt::format("{} resolves outside the package", path));
  }
}

TEST(Identifiers, Paths) {
  for (const char* path : {"a", "a.wgsl", "sub/a-b_c.wgsl.jinja", ".hidden", "-x", "con"}) {
    EXPECT_TRUE(is_canonical_path(path)) << path;
  }
  for (const char* path : {"", "/a", "a/", "a//b", "..", "a..b", "a/../b", "a b", "a\\b", "a:b", "é", "a\tb"}) {
    EXPECT_FALSE(is_canonical_path(path)) << path;
  }
  EXPECT_TRUE(is_template_path("a.wgsl") && is_template_path("a.wgsl.jinja"));
  EXPECT_FALSE(is_template_path("a.jinja") || is_template_path("a.wgsl.txt") || is_template_path("wgsl"));
}

/// Sets an environment variable for the life of the object.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

void write_double(const TemporaryFolder& folder, const std::string& name) {
  const auto files = test::double_package_files();
  test::write_package(folder, name, files, test::metadata_for(files, "test.Double", "double.wgsl.jinja"));
}

TEST(Locate, FoldersAndIds) {
  const TemporaryFolder folder;
  write_double(folder, "first/test.Double");
  write_double(folder, "second/test.Double");
  write_double(folder, "second/test.Triple");
  const fs::path first = folder.path() / "first/test.Double";
  const fs::path second = folder.path() / "second/test.Triple";
  const Environment path("WGK_KERNELS_PATH",
                         ":" + (folder.path() / "first").string() + "::" + (folder.path() / "second").string());
  const std::pair<std::string, std::string> good[] = {
      {first.string(), first.string()},
      {(first / "build/webgpu").string(), (first / "build/webgpu").string()},
      {"test.Double", first.string()},
      {"webgpu-kernels/test.Double", first.string()},
  };
  for (const auto& [location, resolved] : good) {
    const auto package = Package::load(location);
    ASSERT_TRUE(package.ok()) << package.error().message;
    EXPECT_EQ(package->location(), resolved) << location;
    EXPECT_EQ(package->op(), "test.Double");
  }
  // The folder test.Triple holds another op: by its id it is refused, as a folder it is taken.
  EXPECT_TRUE(Package::load(second.string()).ok());
  EXPECT_EQ(Package::load("test.Triple").error().message,
            "test.Triple: expected op id test.Triple, artifact provides test.Double");
  EXPECT_EQ(Package::load("webgpu-kernels/test.Triple").error().message,
            "webgpu-kernels/test.Triple: repo basename test.Triple does not match the manifest op id test.Double");
}

TEST(Locate, NotFound) {
  const TemporaryFolder folder;
  write_double(folder, "test.Double");
  const Environment path("WGK_KERNELS_PATH", folder.path().string());
  const auto message = [](std::string_view location) { return locate(location).error().message; };
  EXPECT_EQ(message("test.Duoble")
                .find("test.Duoble: no folder with build/webgpu/, and no package of that id; did you "
                      "mean \"test.Double\"? (searched: " +
                      folder.path().string()),
            0u);
  for (const std::string& location :
       {std::string(), std::string("."), std::string("../x"), std::string("org/a/b"), std::string("a\\b"),
        folder.path().string(), folder.path().string() + "/test.Double" + std::string(1, '\0') + "x"}) {
    EXPECT_FALSE(locate(location).ok()) << location;
  }
}

}  // namespace
}  // namespace wgk::package
