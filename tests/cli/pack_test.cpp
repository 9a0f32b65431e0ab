// wgk pack and wgk new.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/author.h"

namespace wgk::test {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void write_files(const TemporaryFolder& folder, const Files& files) {
  for (const auto& [path, text] : files) folder.write("p/build/webgpu/" + path, text);
}

std::string package_of(const TemporaryFolder& folder) { return (folder.path() / "p").string(); }
std::filesystem::path metadata_of(const TemporaryFolder& folder) {
  return folder.path() / "p/build/webgpu/metadata.json";
}

json pack(const TemporaryFolder& folder) {
  const auto result = wgk({"pack", package_of(folder)});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return json::parse(contents(metadata_of(folder)), nullptr, false);
}

TEST(Pack, WritesMetadataThatVerifies) {
  const TemporaryFolder folder;
  const Files files = author_files();
  write_files(folder, files);
  const json metadata = pack(folder);
  EXPECT_EQ(metadata["name"], "test.Double");
  EXPECT_EQ(metadata["version"], 1);
  EXPECT_EQ(metadata["backend"], json({{"type", "webgpu"}}));
  EXPECT_EQ(metadata["webgpu"], json({{"manifestSpec", "2.1"}, {"variants", {{"only", {"double.wgsl.jinja"}}}}}));
  EXPECT_EQ(metadata["digest"]["algorithm"], "sha256");
  json digests = json::object();
  for (const auto& [path, text] : files) digests[path] = base::sha256_base64(text);
  EXPECT_EQ(metadata["digest"]["files"], digests);
  const auto verified = wgk({"verify", package_of(folder), "--no-device", "--strict"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out;

  // Packing again changes nothing, and no temporary file stays.
  const std::string before = contents(metadata_of(folder));
  const auto again = wgk({"pack", package_of(folder), "--check"});
  EXPECT_EQ(again.exit_code, 0) << again.out;
  EXPECT_NE(again.out.find("is up to date"), std::string::npos) << again.out;
  EXPECT_EQ(contents(metadata_of(folder)), before);
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path() / "p/build/webgpu"))
    ++count;
  EXPECT_EQ(count, files.size() + 1);
}

TEST(Pack, CheckWritesNothing) {
  const TemporaryFolder folder;
  write_files(folder, author_files());
  const auto absent = wgk({"pack", package_of(folder), "--check", "--json"});
  EXPECT_EQ(absent.exit_code, 1) << absent.out << absent.err;
  EXPECT_EQ(parse_output(absent)["packages"][0]["changed"], true);
  EXPECT_FALSE(std::filesystem::exists(metadata_of(folder)));
  pack(folder);
  const std::string before = contents(metadata_of(folder));
  folder.write("p/build/webgpu/double.wgsl.jinja", double_package_files()["double.wgsl.jinja"] + "// more\n");
  const auto stale = wgk({"pack", package_of(folder), "--check"});
  EXPECT_EQ(stale.exit_code, 1) << stale.out << stale.err;
  EXPECT_NE(stale.out.find("is out of date; run wgk pack"), std::string::npos) << stale.out;
  EXPECT_EQ(contents(metadata_of(folder)), before);
}

// tools/kernels/pack.py wrote these files; it shares no code with the library.
TEST(Pack, AgreesWithTheScriptOnTheFirstPartyPackages) {
  const auto result =
      wgk({"pack", kernels_folder() + "/ai.onnx.RotaryEmbedding", kernels_folder() + "/com.microsoft.MRotaryEmbedding",
           kernels_folder() + "/com.microsoft.GemmaRotaryEmbedding", "--check"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Pack, ListsIncludesAndExpandsFamilies) {
  const TemporaryFolder folder;
  Files files = author_files([](ordered& manifest) {
    ordered variant = manifest["variants"][0];
    variant["id"] = "by{n}";
    variant["passes"][0]["shader"] = "by{n}.wgsl.jinja";
    manifest["variants"].push_back({{"cases", {{{"n", 2}}, {{"n", 4}}}}, {"variants", {variant}}});
  });
  files["by2.wgsl.jinja"] = "{% include \"parts/outer.wgsl\" %}\n" + files["double.wgsl.jinja"];
  files["by4.wgsl.jinja"] = files["double.wgsl.jinja"];
  files["parts/outer.wgsl"] = "{% include \"./inner.wgsl\" %}\n// outer\n";
  files["parts/inner.wgsl"] = "// inner\n";
  write_files(folder, files);
  const json expected = {{"only", {"double.wgsl.jinja"}},
                         {"by2", {"by2.wgsl.jinja", "parts/outer.wgsl", "parts/inner.wgsl"}},
                         {"by4", {"by4.wgsl.jinja"}}};
  EXPECT_EQ(pack(folder)["webgpu"]["variants"], expected);
}

TEST(Pack, Dialect1HasNoVariants) {
  const TemporaryFolder folder;
  const json manifest = json::parse(R"json({
    "domain": "test", "name": "Copy",
    "inputs": [{"role": "X", "dtype": "float32"}],
    "outputs": [{"role": "Y", "dtype": "float32", "shape": "shapes.x"}],
    "args": {"x": {"kind": "tensor", "semantic": "X"}, "y": {"kind": "tensor", "semantic": "Y", "role": "output"}},
    "variants": [{"id": "only", "passes": [{"shader": "copy.wgsl.jinja",
      "bindings": [{"name": "x", "arg": "x", "buffer": {"type": "read-only-storage"}, "elementType": "f32"},
                   {"name": "y", "arg": "y", "buffer": {"type": "storage"}, "elementType": "f32"}],
      "dispatch": {"x": 1}}]}]
  })json");
  write_files(folder, {{"manifest.json", manifest.dump()}, {"copy.wgsl.jinja", "{{ env.wgsl.resourceDeclarations }}"}});
  EXPECT_EQ(pack(folder)["webgpu"], json({{"manifestSpec", "1.0"}}));
}

TEST(Pack, KeepsWhatTheAuthorWrote) {
  const TemporaryFolder folder;
  Files files = author_files();
  files["metadata.json"] = R"({"version": 7, "license": "mit", "provenance": {"commit": "abc"},
    "webgpu": {"manifestSpec": "1.0", "specialized": true}})";
  write_files(folder, files);
  const json metadata = pack(folder);
  EXPECT_EQ(metadata["version"], 7);
  EXPECT_EQ(metadata["license"], "mit");
  EXPECT_EQ(metadata["provenance"], json({{"commit", "abc"}}));
  EXPECT_EQ(metadata["webgpu"]["specialized"], true);
  EXPECT_EQ(metadata["webgpu"]["manifestSpec"], "2.1");
}

TEST(Pack, ABadPackageIsNotPacked) {
  struct Bad {
    const char* file;
    const char* text;
    const char* message;
  };
  for (const Bad& bad : {Bad{"manifest.json", "{", "manifest.json does not parse"},
                         Bad{"a name.txt", "spaces", "\"a name.txt\" cannot be listed in metadata.json"},
                         Bad{"double.wgsl.jinja", "{% include \"nowhere.wgsl\" %}", "nowhere.wgsl"}}) {
    const TemporaryFolder folder;
    Files files = author_files();
    files[bad.file] = bad.text;
    files["metadata.json"] = "{\"old\": true}";
    write_files(folder, files);
    expect_error(wgk({"pack", package_of(folder), "--json"}), 3, "package", bad.message);
    EXPECT_EQ(contents(metadata_of(folder)), "{\"old\": true}");
  }
  const TemporaryFolder empty;
  expect_error(wgk({"pack", empty.path().string(), "--json"}), 3, "package",
               "no folder with build/webgpu/manifest.json");
}

// --- new ------------------------------------------------------------------------------------------------------------

TEST(New, WritesAPackageThatVerifiesAndPasses) {
  const TemporaryFolder folder;
  const auto made = wgk({"new", "com.example.ScaleAll", "--directory", folder.path().string(), "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
  const std::string package = parse_output(made)["folder"];
  EXPECT_EQ(package, (folder.path() / "com.example.ScaleAll").string());
  for (const char* file : {"README.md", "build/webgpu/manifest.json", "build/webgpu/metadata.json",
                           "build/webgpu/test.json", "build/webgpu/scale-all.wgsl.jinja"}) {
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::path(package) / file)) << file;
  }
  EXPECT_EQ(json::parse(contents(package + "/build/webgpu/manifest.json"))["name"], "ScaleAll");
  const auto verified = wgk({"verify", package, "--no-device", "--strict"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_EQ(wgk({"pack", package, "--check"}).exit_code, 0);
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto compiled = wgk({"verify", package, "--device", "software", "--strict"});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.out << compiled.err;
  const auto tested = wgk({"test", package, "--device", "software"});
  EXPECT_EQ(tested.exit_code, 0) << tested.out << tested.err;
  EXPECT_NE(tested.out.find("4 passed, 0 failed, 0 skipped"), std::string::npos) << tested.out;
}

TEST(New, ANameWithoutADomainIsLocal) {
  const TemporaryFolder folder;
  ProcessOptions options;
  options.directory = folder.path().string();
  const auto made = wgk({"new", "Scale"}, options);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "local.Scale/build/webgpu/scale.wgsl.jinja"));
  EXPECT_NE(made.out.find("wgk verify "), std::string::npos) << made.out;
}

TEST(New, NeverOverwrites) {
  const TemporaryFolder folder;
  folder.write("com.example.Scale/mine.txt", "precious");
  expect_error(wgk({"new", "com.example.Scale", "--directory", folder.path().string(), "--json"}), 2, "usage",
               "exists already");
  EXPECT_EQ(contents(folder.path() / "com.example.Scale/mine.txt"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "com.example.Scale/build"));
}

TEST(New, BadNamesAndFolders) {
  const TemporaryFolder folder;
  for (const char* name : {"../evil", "com.example.", ".Scale", "Com.Scale", "com.example.1up", "a b", ""}) {
    expect_error(wgk({"new", name, "--directory", folder.path().string(), "--json"}), 2, "usage",
                 "is not an operator id");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const std::string file = folder.write("file", "");
  EXPECT_EQ(wgk({"new", "com.example.Scale", "--directory", file}).exit_code, 2);
}

}  // namespace
}  // namespace wgk::test
