// wgk run: results, forms of output, devices.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/wgk.h"

namespace wgk::test {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Run, PrintsTheDocumentedJson) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto result = wgk_run(rope_package(), rope_request(), {"--device", "software"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = parse_output(result);
  EXPECT_EQ(out["op"], "ai.onnx.RotaryEmbedding");
  EXPECT_EQ(out["device"]["kind"], "software");
  EXPECT_EQ(out["device"]["backend"], "vulkan");
  EXPECT_FALSE(out["device"]["name"].get<std::string>().empty());
  EXPECT_EQ(out["variant"].get<std::string>().rfind("rank4_cache2", 0), 0U) << out["variant"];
  EXPECT_EQ(out["outputs"]["y"]["dtype"], "float32");
  EXPECT_EQ(out["outputs"]["y"]["shape"], json({1, 1, 2, 4}));
  EXPECT_EQ(out["outputs"]["y"]["data"], rope_result());
  EXPECT_EQ(result.err, "");
}

TEST(Run, TheCpuGivesTheSame) {
  const auto result = wgk_run(rope_package(), rope_request(), {"--device", "cpu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = parse_output(result);
  EXPECT_EQ(out["variant"], "cpu");
  EXPECT_EQ(out["device"]["kind"], "cpu");
  EXPECT_EQ(out["outputs"]["y"]["data"], rope_result());
}

TEST(Run, AutoSaysOnStderrWhatItTook) {
  const auto result = wgk_run(rope_package(), rope_request());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("using"), std::string::npos) << result.err;
}

TEST(Run, OnnxNamesAreAccepted) {
  json request = rope_request();
  json& inputs = request["inputs"];
  inputs = {{"X", inputs["x"]},
            {"cos_cache", inputs["cos"]},
            {"sin_cache", inputs["sin"]},
            {"position_ids", inputs["positionIds"]}};
  const auto result = wgk_run(rope_package(), request, {"--device", "cpu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], rope_result());
}

TEST(Run, TheSameInputByBothNamesIsAnError) {
  json request = rope_request();
  request["inputs"]["X"] = request["inputs"]["x"];
  expect_error(wgk_run(rope_package(), request, {"--device", "cpu"}), 4, "request", "x: given twice");
}

TEST(Run, AttributesOfTheCommandLineWin) {
  json request = rope_request();
  request["attrs"]["interleaved"] = 0;
  const auto result = wgk_run(rope_package(), request, {"--device", "cpu", "--attr", "interleaved=1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], rope_result());
}

TEST(Run, BitsAreExact) {
  const auto result = wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--bits"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json data = parse_output(result)["outputs"]["y"]["data"];
  EXPECT_EQ(data["kind"], "bits");
  EXPECT_EQ(data["values"], json({0xc0000000U, 0x3f800000U, 0x40400000U, 0x40800000U, 0xc0a00000U, 0xc0c00000U,
                                  0xc1000000U, 0x40e00000U}));
}

TEST(Run, PinsAVariant) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto unknown = wgk_run(rope_package(), rope_request(), {"--device", "software", "--variant", "nonsense"});
  EXPECT_NE(unknown.exit_code, 0);
  EXPECT_NE(unknown.err.find("has no variant nonsense"), std::string::npos) << unknown.err;
}

TEST(Run, UncheckedPositionsPassThrough) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  json request = rope_request();
  // 2^32 + 1 must not be taken for row 1, nor a negative one for the last row.
  request["inputs"]["positionIds"]["data"] = {4294967297, -1};
  for (const char* device : {"software", "cpu"}) {
    expect_error(wgk_run(rope_package(), request, {"--device", device}), 4, "request",
                 "positionIds: value 4294967297 at index 0 must be in [0, 3)");
    const auto result = wgk_run(rope_package(), request, {"--device", device, "--check", "none"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], json({1, 2, 3, 4, 5, 6, 7, 8})) << device;
  }
}

TEST(Run, TheRequestMaySayThatValuesAreNotChecked) {
  json request = rope_request();
  request["inputs"]["positionIds"]["data"] = {4294967297, -1};
  request["check"] = "none";
  const auto result = wgk_run(rope_package(), request, {"--device", "cpu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], json({1, 2, 3, 4, 5, 6, 7, 8}));
  expect_error(wgk_run(rope_package(), request, {"--device", "cpu", "--check", "full"}), 4, "request",
               "positionIds: value 4294967297 at index 0 must be in [0, 3)");
}

TEST(Run, ADimensionOfZeroGivesAnEmptyOutput) {
  json request = rope_request();
  request["inputs"]["x"] = {{"dtype", "float32"}, {"shape", {1, 1, 0, 4}}, {"data", json::array()}};
  request["inputs"]["positionIds"] = {{"dtype", "int64"}, {"shape", {1, 0}}, {"data", json::array()}};
  for (const char* device : {"software", "cpu"}) {
    if (std::string(device) == "software" && !has_software_adapter()) continue;
    const auto result = wgk_run(rope_package(), request, {"--device", device});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json y = parse_output(result)["outputs"]["y"];
    EXPECT_EQ(y["shape"], json({1, 1, 0, 4}));
    EXPECT_EQ(y["data"], json::array());
  }
}

TEST(Run, PackageIdsAreFoundInTheKernelsPath) {
  for (const char* id : {"ai.onnx.RotaryEmbedding", "webgpu-kernels/ai.onnx.RotaryEmbedding"}) {
    const auto result = wgk_run(id, rope_request(), {"--device", "cpu"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST(Run, AnOperatorWithoutCodeRunsOnAnAdapterOnly) {
  const TemporaryFolder folder;
  const auto files = double_package_files();
  const auto package = write_package(folder, "p", files, metadata_for(files, "test.Double", "double.wgsl.jinja"));
  const json request = {{"inputs", {{"x", {{"dtype", "float32"}, {"shape", {3}}, {"data", {1, -2, 0.5}}}}}}};
  expect_error(wgk_run(package, request, {"--device", "cpu"}), 5, "device",
               "test.Double: there is no CPU implementation");
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto result = wgk_run(package, request, {"--device", "software"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], json({2, -4, 1}));
  EXPECT_EQ(parse_output(result)["variant"], "only");
}

TEST(Run, PeopleGetAListing) {
  ProcessOptions options;
  options.input = rope_request().dump();
  const auto result = wgk({"run", rope_package(), "--request", "-", "--device", "cpu"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("y: float32 [1,1,2,4]"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("variant cpu on the CPU\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("-8"), std::string::npos) << result.out;
}

TEST(Run, OutputFileHoldsTheJsonAndReplacesTheOldOne) {
  const TemporaryFolder folder;
  const std::string file = folder.write("result.json", "old");
  const auto result = wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--output", file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(json::parse(slurp(file))["outputs"]["y"]["data"], rope_result());
  const auto entries = std::distance(std::filesystem::directory_iterator(folder.path()), {});
  EXPECT_EQ(entries, 1) << "a temporary file was left behind";
}

TEST(Run, AFailedCallLeavesTheOutputFileAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.write("result.json", "old");
  json request = rope_request();
  request["inputs"].erase("cos");
  EXPECT_EQ(wgk_run(rope_package(), request, {"--device", "cpu", "--output", file}).exit_code, 4);
  EXPECT_EQ(slurp(file), "old");
}

TEST(Run, NpyDataIsRelativeToTheRequest) {
  const TemporaryFolder folder;
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  std::string npy = std::string("\x93NUMPY\x01\x00", 8);
  std::string header = dictionary + std::string(64 - (10 + dictionary.size()) % 64 - 1, ' ') + "\n";
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header;
  const float rows[] = {1, 1, 0, 1, -1, 0};
  npy.append(reinterpret_cast<const char*>(rows), sizeof rows);
  folder.write("data/cos.npy", npy);
  json request = rope_request();
  request["inputs"]["cos"]["data"] = {{"kind", "npy"}, {"path", "cos.npy"}};
  const std::string file = folder.write("data/request.json", request.dump());
  const auto result = wgk({"run", rope_package(), "--request", file, "--json", "--device", "cpu"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], rope_result());
}

}  // namespace
}  // namespace wgk::test
