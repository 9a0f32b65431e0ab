// The contract as JSON, and the cards of the packages of this repository. WGK_UPDATE_CARDS=1 in the environment writes
// the cards instead of comparing them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <wgk/package.hpp>

#include "package/contract.h"
#include "package/load.h"
#include "package/manifest_support.h"
#include "support/package_folder.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Cards, OfTheRepositoryAreInSync) {
  const char* update = std::getenv("WGK_UPDATE_CARDS");
  int packages = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(WGK_SOURCE_DIR) / "kernels")) {
    if (!fs::is_directory(entry.path() / "build/webgpu")) continue;
    const auto package = Package::load(entry.path().string());
    ASSERT_TRUE(package.ok()) << package.error().message;
    const std::string card = package->contract_markdown();
    const fs::path readme = entry.path() / "README.md";
    if (update != nullptr) std::ofstream(readme, std::ios::binary) << card;
    EXPECT_EQ(read_file(readme), card) << entry.path().filename()
                                       << ": write the cards with WGK_UPDATE_CARDS=1 in the environment";
    ++packages;
  }
  EXPECT_GE(packages, 3);
}

TEST(Cards, HaveTheSectionsReadersLookFor) {
  const test::TemporaryFolder folder;
  auto files = test::double_package_files();
  files["test.json"] = R"({"cases": [{"name": "refused", "expectError": "no"},
    {"name": "c", "inputs": {"x": {"dtype": "int32", "shape": [2, 1], "data": {"kind": "values", "values": [1, 2]}}},
     "attrs": {"list": [1, 2]}}]})";
  const std::string location =
      test::write_package(folder, "double", files, test::metadata_for(files, "test.Double", "double.wgsl.jinja"));
  folder.write("double/card-notes.md", "## Notes\n\nOf the author.\n");
  const std::string card = Package::load(location)->contract_markdown();
  std::size_t at = 0;
  for (const char* part : {"---\nlibrary_name: kernels\n",
                           "# test.Double\n",
                           "## Description\n",
                           "## Inputs\n",
                           "| `x` | `X` | `T` | its dtype | — | — | — | required |\n",
                           "## Outputs\n",
                           "| `y` | `Y` | `T` | its dtype | — | `shapes.x` | — | required |\n",
                           "## Type constraints\n",
                           "| `T` | `float32`, `int32` |\n",
                           "## Implementation variants\n",
                           "- `only`\n",
                           "## Files\n",
                           "- [`double.wgsl.jinja`](build/webgpu/double.wgsl.jinja)\n",
                           "## Use\n",
                           "const auto x = wgk::HostTensor::from<std::int32_t>({2, 1}, xData);\n",
                           "wgk::get_kernel(\"test.Double\", {.version = 1})",
                           "{.attrs = {{\"list\", wgk::AttributeValue::List{1, 2}}}}",
                           "const wgk::HostTensor& y = result[\"y\"];\n",
                           "\"x\": { \"dtype\": \"int32\", \"shape\": [2, 1], ",
                           "\"attrs\": {\"list\":[1,2]}\n",
                           "wgk run test.Double --request request.json\n",
                           "## Notes\n\nOf the author.\n"}) {
    const std::size_t found = card.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\nis missing or out of place in\n" << card;
    at = found + std::string(part).size();
  }
  EXPECT_EQ(at, card.size());
}

TEST(Contract, Json) {
  const auto loaded = load_unverified(Json::parse(read_data("bad_v2.json"))["base"].dump(), {}, "golden");
  ASSERT_TRUE(loaded.ok());
  const Json contract = Json::parse(contract_json(**loaded));
  const Json expected = Json::parse(R"json({
    "op": "ai.onnx.Copy", "spec": "2.1", "license": "", "description": "",
    "inputs": [
      {"key": "x", "onnx": "X", "direction": "input", "dtype": "T", "optional": false, "description": ""},
      {"key": "p", "onnx": "p", "direction": "input", "dtype": "M", "storage": "uint32", "narrowing": "checked",
       "optional": true, "description": ""},
      {"key": "b", "onnx": "b", "direction": "input", "dtype": "uint8", "optional": true, "description": ""}],
    "outputs": [{"key": "y", "onnx": "Y", "direction": "output", "dtype": "T", "optional": false,
                 "shape": "shapes.x", "description": ""}],
    "args": [{"name": "mode", "kind": "string", "required": false, "oneOf": ["a"], "description": ""}],
    "attributes": [{"name": "axis", "default": 0, "required": false, "values": [], "description": ""},
                   {"name": "to", "required": false, "values": [], "description": ""}],
    "typeConstraints": {"T": ["float32", "float16"], "M": ["int64"]},
    "tunables": {"WG": 64},
    "variants": [{"id": "plain", "priority": 0.0, "when": [], "requires": {"features": [], "limits": {}},
                  "templates": ["copy.wgsl"]}],
    "files": {}})json");
  EXPECT_EQ(contract, expected) << contract.dump(2);
}

}  // namespace
}  // namespace wgk::package
