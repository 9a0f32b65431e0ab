// The other subcommands: test, explain, inspect, devices, help and version.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/wgk.h"

namespace wgk::test {
namespace {

json double_case(const char* name, json x, json y) {
  const json shape = {x.size()};
  return {
      {"name", name},
      {"inputs", {{"x", {{"dtype", "float32"}, {"shape", shape}, {"data", {{"kind", "values"}, {"values", x}}}}}}},
      {"outputs", {{"y", {{"dtype", "float32"}, {"shape", shape}, {"data", {{"kind", "values"}, {"values", y}}}}}}}};
}

/// The package y = x + x with these cases.
std::string package_with_cases(const TemporaryFolder& folder, const json& cases) {
  auto files = double_package_files();
  files["test.json"] = json{{"cases", cases}}.dump();
  return write_package(folder, "p", files, metadata_for(files, "test.Double", "double.wgsl.jinja"));
}

std::string last_line(const std::string& text) {
  if (text.size() < 2) return text;
  const auto end = text.find_last_not_of('\n');
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

TEST(TestCommand, CountsAndExitCodes) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  json skipped = double_case("skipped", {1}, {2});
  skipped["skipGpu"] = {{"category", "todo"}, {"reason", "not yet"}};
  const auto package = package_with_cases(
      folder, {double_case("good", {1, 2}, {2, 4}), double_case("bad <1>", {1, 2}, {2, 5}), skipped});
  const auto junit = (folder.path() / "junit.xml").string();

  const auto all = wgk({"test", package, "--device", "software", "--junit", junit});
  EXPECT_EQ(all.exit_code, 1) << all.err;
  EXPECT_EQ(last_line(all.out), "1 passed, 1 failed, 1 skipped");
  EXPECT_NE(all.out.find("y[1]: got 4, want 5 (tolerance 0)"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("(software, vulkan)"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("2 only"), std::string::npos) << all.out;
  std::stringstream xml;
  xml << std::ifstream(junit).rdbuf();
  EXPECT_NE(xml.str().find("<testsuite name=\"test.Double\" tests=\"3\" failures=\"1\" skipped=\"1\">"),
            std::string::npos)
      << xml.str();
  EXPECT_NE(xml.str().find("name=\"bad &lt;1&gt;\""), std::string::npos) << xml.str();

  const auto filtered = wgk({"test", package, "--device", "software", "--filter", "^good$"});
  EXPECT_EQ(filtered.exit_code, 0) << filtered.err;
  EXPECT_EQ(last_line(filtered.out), "1 passed, 0 failed, 0 skipped");

  const auto as_json = wgk({"test", package, "--device", "software", "--json"});
  EXPECT_EQ(as_json.exit_code, 1);
  const json out = parse_output(as_json);
  EXPECT_EQ(out["passed"], 1);
  EXPECT_EQ(out["failed"], 1);
  EXPECT_EQ(out["skipped"], 1);
  EXPECT_EQ(out["packages"][0]["variants"], json({{"only", 2}}));
  EXPECT_EQ(out["packages"][0]["cases"][1]["outcome"], "failed");
  EXPECT_EQ(wgk({"test", package, "--device", "software", "--json"}).out, as_json.out) << "the output is not stable";
}

TEST(TestCommand, ExpectedVariantsAndErrors) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  json right_variant = double_case("right variant", {1}, {2});
  right_variant["expectVariant"] = "only";
  json wrong_variant = double_case("wrong variant", {1}, {2});
  wrong_variant["expectVariant"] = "other";
  json right_error = double_case("right error", {1}, {2});
  right_error["inputs"]["x"]["dtype"] = "uint32";
  right_error["expectError"] = "not allowed by type constraint";
  json wrong_error = right_error;
  wrong_error["name"] = "wrong error";
  wrong_error["expectError"] = "out of paper";
  json no_error = double_case("no error", {1}, {2});
  no_error["expectError"] = "anything";
  const auto package = package_with_cases(folder, {right_variant, wrong_variant, right_error, wrong_error, no_error});
  const auto result = wgk({"test", package, "--device", "software"});
  EXPECT_EQ(last_line(result.out), "2 passed, 3 failed, 0 skipped") << result.out << result.err;
  EXPECT_NE(result.out.find("wrong variant: ran variant only, want other"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("want an error that contains \"out of paper\""), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("no error: succeeded, want an error that contains \"anything\""), std::string::npos)
      << result.out;
}

TEST(TestCommand, TakesAnId) {
  for (const char* id : {"ai.onnx.RotaryEmbedding", "webgpu-kernels/ai.onnx.RotaryEmbedding"}) {
    const auto result = wgk({"test", id, "--device", "cpu", "--filter", "3d"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_NE(last_line(result.out).find(" passed, 0 failed, 0 skipped"), std::string::npos) << result.out;
  }
}

/// The cases of a file may need 256 MiB together. What is not asked for is not made, so it cannot exhaust that.
TEST(TestCommand, CasesThatAreFilteredOutCostNothing) {
  const TemporaryFolder folder;
  json cases = json::array();
  for (const char* name : {"large a", "large b", "large c", "small"}) {
    json one = double_case(name, {1}, {2});
    const json shape = {name[0] == 's' ? 4 : 30 << 20};
    one["inputs"]["x"] = {{"dtype", "float32"},
                          {"shape", shape},
                          {"data", {{"kind", "fillFloat32"}, {"sinStep", 0.5}, {"cosStep", 0.25}}}};
    one["outputs"]["y"] = {{"dtype", "float32"}, {"shape", shape}};
    cases.push_back(one);
  }
  const auto package = package_with_cases(folder, cases);
  const auto result = wgk({"test", package, "--device", "cpu", "--filter", "small", "--json"});
  const json report = parse_output(result);
  ASSERT_EQ(report["packages"][0]["cases"].size(), 1U) << result.out << result.err;
  const std::string message = report["packages"][0]["cases"][0]["message"];
  EXPECT_NE(message.find("there is no CPU"), std::string::npos) << message;
}

TEST(TestCommand, NothingToRunIsNoSuccess) {
  const TemporaryFolder folder;
  const auto package = package_with_cases(folder, json::array({double_case("good", {1}, {2})}));
  expect_error(wgk({"test", package, "--device", "cpu", "--filter", "nothing", "--json"}), 2, "usage",
               "--filter: \"nothing\" matches no test case");
}

TEST(TestCommand, ASpoiledTestFileIsABadPackage) {
  const TemporaryFolder folder;
  const auto package = package_with_cases(folder, json::array({double_case("good", {1}, {2})}));
  folder.write("p/build/webgpu/test.json", R"({"cases": []})");
  expect_error(wgk({"test", package, "--device", "cpu", "--json"}), 3, "package",
               "test.json does not match metadata.digest.files");
}

TEST(TestCommand, FirstPartyPackagesPass) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto result =
      wgk({"test", kernels_folder() + "/ai.onnx.RotaryEmbedding", kernels_folder() + "/com.microsoft.MRotaryEmbedding",
           kernels_folder() + "/com.microsoft.GemmaRotaryEmbedding", "--device", "software"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(last_line(result.out).find(" passed, 0 failed"), std::string::npos) << result.out;
  std::cout << last_line(result.out) << "\n";
}

TEST(Explain, ShowsVariantBindingsUniformsAndDispatch) {
  const TemporaryFolder folder;
  const std::string request = folder.write("request.json", rope_request().dump());
  const auto result = wgk({"explain", rope_package(), "--request", request, "--device", "cpu", "--wgsl"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"selected", "rejected", "@binding(0) x", "uniform", "dispatch ", "workgroups", "@compute"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " is missing in\n" << result.out;
  }
}

TEST(Explain, ChecksTheContractFirstAsRunDoes) {
  const TemporaryFolder folder;
  json request = rope_request();
  request["inputs"]["positionIds"]["data"] = {1, 3};
  const std::string bad = folder.write("bad.json", request.dump());
  const std::vector<std::string> explain = {"explain", rope_package(), "--request", bad, "--device", "cpu"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), explain.begin(), explain.end());
    return wgk(std::move(more));
  };
  expect_error(with({"--json"}), 4, "request", "positionIds: value 3 at index 1 must be in [0, 3)");
  const auto unchecked = with({"--check", "none"});
  EXPECT_EQ(unchecked.exit_code, 0) << unchecked.err;
  EXPECT_NE(unchecked.out.find("contract of ai.onnx.RotaryEmbedding checked, values such as positions aside\n"),
            std::string::npos)
      << unchecked.out;
  const std::string good = folder.write("good.json", rope_request().dump());
  const auto checked = wgk({"explain", rope_package(), "--request", good, "--device", "cpu"});
  EXPECT_NE(checked.out.find("contract of ai.onnx.RotaryEmbedding checked\n"), std::string::npos) << checked.out;
}

TEST(Explain, SaysThatTheRulesOfAnOperatorAreUnknown) {
  const TemporaryFolder folder;
  const auto package = package_with_cases(folder, json::array());
  const std::string request = folder.write("request.json", double_case("c", {1}, {2}).dump());
  const auto result = wgk({"explain", package, "--request", request, "--device", "cpu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("only planned: wgk does not know the rules of test.Double, so those of the manifest alone "
                            "were checked\n"),
            std::string::npos)
      << result.out;
}

TEST(Explain, PlansForTheDeviceOfALimitsFile) {
  const TemporaryFolder folder;
  const std::string request = folder.write("request.json", rope_request().dump());
  const std::string small = folder.write("small.json", R"({"limits": {"maxStorageBufferBindingSize": 16}})");
  expect_error(wgk({"explain", rope_package(), "--request", request, "--limits", small, "--json"}), 4, "request",
               "maxStorageBufferBindingSize");
  const std::string roomy = folder.write("roomy.json", "{}");
  const auto result = wgk({"explain", rope_package(), "--request", request, "--limits", roomy, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_output(result)["op"], "ai.onnx.RotaryEmbedding");
  const std::string broken = folder.write("broken.json", R"({"limits": 3})");
  expect_error(wgk({"explain", rope_package(), "--request", request, "--limits", broken, "--json"}), 2, "usage",
               "broken.json");
}

/// Two passes, a fixed-length binding, uniforms and a rejected variant, so that every line of the report occurs.
TEST(Explain, ShowsTheWholeDecision) {
  const TemporaryFolder folder;
  auto files = double_package_files();
  nlohmann::ordered_json manifest = nlohmann::ordered_json::parse(files["manifest.json"]);
  manifest["derive"] = {{"count", "numel(shapes.x)"}};
  manifest["args"] = {{"steps", {{"kind", "u32"}}}};
  auto& variant = manifest["variants"][0];
  variant["passes"][0]["bindings"][2]["struct"] = {{{"name", "count"}, {"type", "u32"}, {"value", "count"}},
                                                   {{"name", "minus"}, {"type", "i32"}, {"value", "-2"}},
                                                   {{"name", "half"}, {"type", "f32"}, {"value", "0.5"}},
                                                   {{"name", "steps"}, {"type", "u32"}}};
  auto large = variant;
  large["id"] = "large";
  large["priority"] = 5;
  large["when"] = {"count > 1000"};
  manifest["variants"].push_back(large);
  files["manifest.json"] = manifest.dump();
  json metadata = json::parse(metadata_for(files, "test.Double", "double.wgsl.jinja"));
  metadata["webgpu"]["variants"]["large"] = {"double.wgsl.jinja"};
  const auto package = write_package(folder, "p", files, metadata.dump());
  const std::string request = folder.write("request.json", double_case("c", {1, 2, 3}, {2, 4, 6}).dump());
  const std::string limits = folder.write("limits.json", R"({"adapter": {"device": "Imaginary 9000"}})");
  const auto result = wgk({"explain", package, "--request", request, "--limits", limits, "--arg", "steps=7", "--wgsl"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {
           "test.Double: variant only for the device of ",
           "(Imaginary 9000)",
           "  input  x              float32  [3]              12 bytes\n",
           "  count = 3\n",
           "  rejected  large (priority 5): when clause failed: `count > 1000` → false\n",
           "  selected  only (priority 0)\n",
           "@binding(0) x              read-only-storage array<f32>         12 bytes  tensor x\n",
           "      struct Params (16 bytes)\n",
           "        +0   count            u32  3            03000000\n",
           "        +4   minus            i32  -2           feffffff\n",
           "        +8   half             f32  0.5          0000003f\n",
           "        +12  steps            u32  7            07000000\n",
           "    dispatch 1 x 1 x 1 workgroups\n",
           "fn main(",
       }) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " is missing in\n" << result.out;
  }
}

TEST(Explain, SaysWhatTheDeviceLacksAndWhatIsUsedInstead) {
  const std::string package = std::string(WGK_SOURCE_DIR) + "/tests/fixtures/requires-fallback";
  const TemporaryFolder folder;
  const json cases = json::parse(std::ifstream(package + "/build/webgpu/test.json"))["cases"];
  const std::string request = folder.write("request.json", cases[0].dump());
  const std::string plain = folder.write("plain.json", "{}");
  const auto result = wgk({"explain", package, "--request", request, "--limits", plain});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("  this device lacks what matrix needs (requires device.features.has("
                            "\"chromium-experimental-subgroup-matrix\")); portable is used instead\n"),
            std::string::npos)
      << result.out;
}

TEST(Inspect, TextForATerminal) {
  const auto result = wgk({"inspect", rope_package()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"ai.onnx.RotaryEmbedding (manifest 2.1", "\nInputs\n", "\nOutputs\n", "\nAttributes\n",
                           "\nVariants, in the order", "  positionIds ",
                           "  M stored as uint32 (checked)  rank 2  optional\n", "default 0", "    when       "}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " is missing in\n" << result.out;
  }
  EXPECT_EQ(result.out.find("| "), std::string::npos) << "Markdown in\n" << result.out;
}

TEST(Inspect, JsonAndMarkdown) {
  const auto as_json = wgk({"inspect", rope_package(), "--json"});
  ASSERT_EQ(as_json.exit_code, 0) << as_json.err;
  EXPECT_EQ(parse_output(as_json)["op"], "ai.onnx.RotaryEmbedding");
  const auto markdown = wgk({"inspect", rope_package(), "--markdown"});
  ASSERT_EQ(markdown.exit_code, 0) << markdown.err;
  EXPECT_NE(markdown.out.find("positionIds"), std::string::npos);
}

TEST(Devices, ListsAsJsonAndText) {
  const auto as_json = wgk({"devices", "--json"});
  ASSERT_EQ(as_json.exit_code, 0) << as_json.err;
  const json out = parse_output(as_json);
  ASSERT_TRUE(out["devices"].is_array());
  for (const json& device : out["devices"]) {
    EXPECT_TRUE(device["kind"] == "gpu" || device["kind"] == "software");
    EXPECT_GT(device["profile"]["limits"]["maxStorageBufferBindingSize"], 0);
  }
  EXPECT_EQ(wgk({"devices"}).exit_code, 0);
}

TEST(Version, IsPrinted) {
  const auto version = wgk({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.rfind("wgk 0.", 0), 0U) << version.out;
}

TEST(Watchdog, EndsGpuWorkThatDoesNotComeBack) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  // lavapipe ends every loop after 65536 turns, so the endless part is the number of workgroups: 4.3e9 of them.
  const TemporaryFolder folder;
  auto files = double_package_files();
  std::string& manifest = files["manifest.json"];
  const std::string dispatch = R"json({"threads": "numel(shapes.x)", "workgroupSize": 64})json";
  ASSERT_NE(manifest.find(dispatch), std::string::npos);
  manifest.replace(manifest.find(dispatch), dispatch.size(), R"({"x": 65535, "y": 65535})");
  const auto package = write_package(folder, "p", files, metadata_for(files, "test.Double", "double.wgsl.jinja"));
  const json request = {{"inputs", {{"x", {{"dtype", "float32"}, {"shape", {4}}, {"data", {1, 2, 3, 4}}}}}}};
  expect_error(wgk_run(package, request, {"--device", "software", "--timeout", "2"}), 5, "device",
               "did not finish within 2 s (--timeout)");
}

TEST(Vectors, RunVectorsReportsNoFailure) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const std::string shared = std::string(WGK_SOURCE_DIR) + "/../shared";
  if (!std::ifstream(shared + "/tools/run_vectors.py")) GTEST_SKIP() << "the shared vectors are not on this machine";
  const auto result = run_process({"python3", shared + "/tools/run_vectors.py", std::string(WGK_BINARY_DIR) + "/wgk",
                                   kernels_folder(), shared + "/vectors", "--device", "software"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(last_line(result.out).find(" passed, 0 failed"), std::string::npos) << result.out;
  EXPECT_NE(last_line(result.out).rfind("0 passed", 0), 0U) << "no vectors were found";
}

}  // namespace
}  // namespace wgk::test
