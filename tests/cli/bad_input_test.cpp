// Every kind of bad input: its exit code, and a message that names the place.
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "cli/wgk.h"

namespace wgk::test {
namespace {

// --- Packages -------------------------------------------------------------------------------------------------------

struct BadPackage {
  const char* name;
  std::function<std::string(const TemporaryFolder&)> make;
  const char* message;
};

/// A package whose files differ from the good ones by `change`; `digest_after` computes the digests after the change.
std::string spoiled(const TemporaryFolder& folder, bool digest_after,
                    const std::function<void(std::map<std::string, std::string>&)>& change) {
  auto files = double_package_files();
  const auto good = metadata_for(files, "test.Double", "double.wgsl.jinja");
  change(files);
  return write_package(folder, "p", files,
                       digest_after ? metadata_for(files, "test.Double", "double.wgsl.jinja") : good);
}

class BadPackages : public testing::TestWithParam<BadPackage> {};

TEST_P(BadPackages, ExitCode3) {
  const TemporaryFolder folder;
  const std::string package = GetParam().make(folder);
  const json request = {{"inputs", {{"x", {{"dtype", "float32"}, {"shape", {1}}, {"data", {1}}}}}}};
  // The software adapter is never opened: a package is read before any device is.
  expect_error(wgk_run(package, request, {"--device", "software"}), 3, "package", GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Cli, BadPackages,
    testing::Values(
        BadPackage{"NoSuchFolder", [](const auto& f) { return (f.path() / "nothing").string(); }, "nothing"},
        BadPackage{
            "ManifestNotJson",
            [](const auto& f) { return spoiled(f, true, [](auto& files) { files["manifest.json"] = "hello"; }); },
            "manifest.json does not parse"},
        BadPackage{
            "ManifestTruncated",
            [](const auto& f) { return spoiled(f, true, [](auto& files) { files["manifest.json"].resize(200); }); },
            "manifest.json does not parse"},
        BadPackage{"WrongDigest",
                   [](const auto& f) { return spoiled(f, false, [](auto& files) { files["manifest.json"] += " "; }); },
                   "manifest.json does not match metadata.digest.files"},
        BadPackage{"UnknownDialect",
                   [](const auto& f) {
                     const auto files = double_package_files();
                     json metadata = json::parse(metadata_for(files, "test.Double", "double.wgsl.jinja"));
                     metadata["webgpu"]["manifestSpec"] = "9.7";
                     return write_package(f, "p", files, metadata.dump());
                   },
                   "manifest spec 9.7 is not supported by this runtime (supports 1.0, 2.1)"},
        BadPackage{"MetadataNotJson", [](const auto& f) { return write_package(f, "p", double_package_files(), "{"); },
                   "metadata.json does not parse"},
        BadPackage{"MetadataNameDiffers",
                   [](const auto& f) {
                     const auto files = double_package_files();
                     return write_package(f, "p", files, metadata_for(files, "test.Triple", "double.wgsl.jinja"));
                   },
                   "metadata name test.Triple does not match the manifest op id test.Double"}),
    [](const auto& info) { return info.param.name; });

TEST(BadPackage, TemplateWithAWrongDigestOrMissing) {
  WGK_NEEDS_SOFTWARE_ADAPTER();  // templates may be read as late as when a variant is rendered
  const json request = {{"inputs", {{"x", {{"dtype", "float32"}, {"shape", {1}}, {"data", {1}}}}}}};
  const TemporaryFolder first;
  const auto changed = spoiled(first, false, [](auto& files) { files["double.wgsl.jinja"] += "// more"; });
  expect_error(wgk_run(changed, request, {"--device", "software"}), 3, "package", "double.wgsl.jinja");
  const TemporaryFolder second;
  const auto missing = spoiled(second, false, [](auto& files) { files.erase("double.wgsl.jinja"); });
  expect_error(wgk_run(missing, request, {"--device", "software"}), 3, "package", "double.wgsl.jinja");
}

TEST(BadPackage, DigestsAreFatalOnEveryDevice) {
  const json request = {{"inputs", {{"x", {{"dtype", "float32"}, {"shape", {1}}, {"data", {1}}}}}}};
  for (const char* changed : {"manifest.json", "double.wgsl.jinja"}) {
    const TemporaryFolder folder;
    const auto package = spoiled(folder, false, [&](auto& files) { files[changed] += "\n"; });
    for (const char* device : {"cpu", "auto"}) {
      expect_error(wgk_run(package, request, {"--device", device}), 3, "package",
                   std::string(changed) + " does not match metadata.digest.files");
    }
  }
}

TEST(BadPackage, WhatIsNoFileIsNamed) {
  const json request = {{"inputs", json::object()}};
  const TemporaryFolder folder;
  const auto package = spoiled(folder, true, [](auto& files) { files.erase("manifest.json"); });
  const auto manifest = folder.path() / "p/build/webgpu/manifest.json";
  std::filesystem::create_directory(manifest);
  expect_error(wgk_run(package, request, {"--device", "cpu"}), 3, "package", "manifest.json");
  const TemporaryFolder second;
  const auto other = spoiled(second, true, [](auto&) {});
  const auto pipe = second.path() / "p/build/webgpu/manifest.json";
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error(wgk_run(other, request, {"--device", "cpu"}), 3, "package", "it is a pipe, not a regular file");
  std::filesystem::remove(pipe);
  std::filesystem::create_directory(pipe);
  expect_error(wgk_run(other, request, {"--device", "cpu"}), 3, "package", "it is a folder, not a regular file");
}

TEST(BadPackage, OwnersOtherThanTheKnownOneAreRefused) {
  for (const char* id : {"someone/ai.onnx.RotaryEmbedding", "webgpu-kernel/ai.onnx.RotaryEmbedding"}) {
    expect_error(wgk_run(id, rope_request(), {"--device", "cpu"}), 3, "package", "only packages of webgpu-kernels");
  }
  EXPECT_EQ(wgk_run("webgpu-kernels/ai.onnx.RotaryEmbedding", rope_request(), {"--device", "cpu"}).exit_code, 0);
}

// --- Requests -------------------------------------------------------------------------------------------------------

struct BadRequest {
  const char* name;
  std::function<void(json&)> change;
  const char* message;
};

class BadRequests : public testing::TestWithParam<BadRequest> {};

TEST_P(BadRequests, ExitCode4) {
  json request = rope_request();
  GetParam().change(request);
  expect_error(wgk_run(rope_package(), request, {"--device", "cpu"}), 4, "request", GetParam().message);
}

json tensor(const char* dtype, json shape, json data) {
  return {{"dtype", dtype}, {"shape", std::move(shape)}, {"data", std::move(data)}};
}
json filled(const char* dtype, json shape) { return tensor(dtype, std::move(shape), {{"kind", "fill"}, {"value", 1}}); }

INSTANTIATE_TEST_SUITE_P(
    Cli, BadRequests,
    testing::Values(
        BadRequest{"NotJson", [](json& r) { r = json("not json"); }, "request: does not parse"},
        BadRequest{"NotAnObject", [](json& r) { r = json::array(); }, "request: must be an object"},
        BadRequest{"NoInputs", [](json& r) { r.erase("inputs"); }, "inputs is missing"},
        BadRequest{"UnknownTopLevelKey", [](json& r) { r["atrs"] = json::object(); }, "did you mean \"attrs\"?"},
        BadRequest{"MissingInput", [](json& r) { r["inputs"].erase("cos"); }, "cos: required input is missing"},
        BadRequest{"UnknownInput", [](json& r) { r["inputs"]["zz"] = r["inputs"]["x"]; }, "zz"},
        BadRequest{"WrongDtype", [](json& r) { r["inputs"]["x"]["dtype"] = "int32"; },
                   "x: dtype int32 must be float32 or float16"},
        BadRequest{"UnknownDtype", [](json& r) { r["inputs"]["x"]["dtype"] = "float64"; },
                   "/inputs/x/dtype: unknown dtype \"float64\""},
        BadRequest{"WrongRank",
                   [](json& r) {
                     r["inputs"]["x"]["shape"] = {2, 4};
                   },
                   "x: rank 2 must be 3 or 4"},
        BadRequest{"ShapeAndDataDisagree", [](json& r) { r["inputs"]["x"]["data"].push_back(9); },
                   "/inputs/x/data: x: 9 values, but shape [1,1,2,4] needs 8"},
        BadRequest{"NegativeDimension", [](json& r) { r["inputs"]["x"]["shape"][0] = -1; },
                   "/inputs/x/shape/0: a dimension must be an integer >= 0"},
        BadRequest{"HugeShape",
                   [](json& r) {
                     r["inputs"]["x"] = filled("float32", {1000000, 1000000, 1000000});
                   },
                   "is out of range"},
        BadRequest{"TooManyBytes",
                   [](json& r) {
                     r["inputs"]["x"] = filled("float32", {1, 1, 1000000, 1000000});
                   },
                   "4294967296 bytes in all"},
        BadRequest{"PositionIsNotAnInteger", [](json& r) { r["inputs"]["positionIds"]["data"][1] = 1.5; },
                   "positionIds[1]: 1.5 must be an integer"},
        BadRequest{"PositionIsText", [](json& r) { r["inputs"]["positionIds"]["data"][0] = "one"; },
                   "positionIds[0]: \"one\" must be an integer"},
        BadRequest{"PositionOutOfRange", [](json& r) { r["inputs"]["positionIds"]["data"][1] = 3; },
                   "positionIds: value 3 at index 1 must be in [0, 3)"},
        BadRequest{"PositionBeyondInt64",
                   [](json& r) { r["inputs"]["positionIds"]["data"][1] = "9223372036854775808"; },
                   "positionIds[1]: \"9223372036854775808\" is outside the range of int64"},
        BadRequest{"OddHeadSize",
                   [](json& r) {
                     r["inputs"]["x"] = tensor("float32", {1, 1, 2, 5}, json::array({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
                   },
                   "x: head size 5 must be even"},
        BadRequest{"CosTooWide",
                   [](json& r) {
                     r["inputs"]["cos"] = filled("float32", {3, 4});
                     r["inputs"]["sin"] = filled("float32", {3, 4});
                   },
                   "cos: width 4 must be rotary_dim / 2 = 2"},
        BadRequest{"NumHeadsMissing",
                   [](json& r) {
                     r["inputs"]["x"]["shape"] = {1, 2, 4};
                   },
                   "num_heads: missing, must be >= 1 for rank-3 x"},
        BadRequest{"UnknownAttribute", [](json& r) { r["attrs"]["scale"] = 2; }, "scale: is not an attribute"},
        BadRequest{"AttributeIsAnObject", [](json& r) { r["attrs"]["interleaved"] = json::object(); },
                   "/attrs/interleaved: must be a number"},
        BadRequest{"NpyMissing",
                   [](json& r) {
                     r["inputs"]["cos"]["data"] = {{"kind", "npy"}, {"path", "no-such-file.npy"}};
                   },
                   "cos: no-such-file.npy: no such file"},
        BadRequest{"NpyIsADevice",
                   [](json& r) {
                     r["inputs"]["cos"]["data"] = {{"kind", "npy"}, {"path", "/dev/zero"}};
                   },
                   "cos: /dev/zero: is no regular file"},
        BadRequest{"NpyIsAFolder",
                   [](json& r) {
                     r["inputs"]["cos"]["data"] = {{"kind", "npy"}, {"path", "/dev"}};
                   },
                   "cos: /dev: is no regular file"},
        BadRequest{"CheckIsUnknown", [](json& r) { r["check"] = "some"; }, "check"},
        BadRequest{"UnknownDataKind",
                   [](json& r) {
                     r["inputs"]["cos"]["data"] = {{"kind", "zip"}};
                   },
                   "unknown kind \"zip\" (known: values, bits, npy, fill)"},
        BadRequest{"FloatOverflow", [](json& r) { r["inputs"]["x"]["data"][2] = 1e39; },
                   "x[2]: 1e+39 is outside the range of float32"},
        BadRequest{"BitsTooWide",
                   [](json& r) {
                     r["inputs"]["x"]["data"] = {{"kind", "bits"}, {"values", {1, 2, 3, 4, 5, 6, 7, 4294967296}}};
                   },
                   "x[7]: 4294967296 must be an unsigned word of 32 bits"}),
    [](const auto& info) { return info.param.name; });

/// The reference implementation has no variants and no tunables, and takes no notice of further outputs: what the
/// package does not declare is refused all the same, as it is on an adapter.
TEST(BadRequest, TheCpuRefusesWhatThePackageDoesNotDeclare) {
  struct Row {
    std::vector<std::string> options;
    const char* message;
  };
  const Row rows[] = {
      {{"--variant", "nonsense"}, "WebGPU op ai.onnx.RotaryEmbedding has no variant nonsense"},
      {{"--tunable", "NONSENSE=1"}, "declares no tunable \"NONSENSE\""},
      {{"--arg", "nonsense=1"}, "unknown arg \"nonsense\""},
      {{"--attr", "nonsense=1"}, "nonsense"},
      {{"--attr", "num_heads=9007199254740993"}, "an integer attribute must lie in [-2^53, 2^53]"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> options = row.options;
    options.insert(options.end(), {"--device", "cpu"});
    expect_error(wgk_run(rope_package(), rope_request(), options), 4, "request", row.message);
  }
  json request = rope_request();
  request["outputs"] = {"nonsense"};
  expect_error(wgk_run(rope_package(), request, {"--device", "cpu"}), 4, "request", "declares no output \"nonsense\"");
}

TEST(BadRequest, DuplicateKey) {
  expect_error(wgk_run(rope_package(), json(R"({"inputs": {}, "inputs": {}})"), {"--device", "cpu"}), 4, "request",
               "duplicate key \"inputs\"");
}

TEST(BadRequest, TensorAboveTheBindingLimitNamesLimitNeedAndValue) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  // 300 MB on the software adapter, whose maxStorageBufferBindingSize is 128 MiB.
  const json request = {{"inputs",
                         {{"x", filled("float32", {1, 1, 18750000, 4})},
                          {"cos", filled("float32", {1, 2})},
                          {"sin", filled("float32", {1, 2})},
                          {"positionIds", tensor("int64", {1, 18750000}, {{"kind", "fill"}, {"value", 0}})}}}};
  const auto message = expect_error(wgk_run(rope_package(), request, {"--device", "software"}), 4, "request",
                                    "x: 300000000 bytes must be <= maxStorageBufferBindingSize = 134217728");
}

// --- Usage ----------------------------------------------------------------------------------------------------------

struct BadUsage {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class BadUsages : public testing::TestWithParam<BadUsage> {};

TEST_P(BadUsages, ExitCode2) {
  auto arguments = GetParam().arguments;
  arguments.push_back("--json");
  expect_error(wgk(arguments), 2, "usage", GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Cli, BadUsages,
    testing::Values(
        BadUsage{"NoSubcommand", {}, "subcommand"}, BadUsage{"UnknownSubcommand", {"frobnicate"}, "frobnicate"},
        BadUsage{"NoPackage", {"run"}, "PACKAGE"}, BadUsage{"NoRequest", {"run", rope_package()}, "--request"},
        BadUsage{"RequestFileMissing",
                 {"run", rope_package(), "--request", "no-such-request.json"},
                 "no-such-request.json: No such file"},
        BadUsage{"UnknownOption", {"run", rope_package(), "--request", "-", "--frob"}, "--frob"},
        BadUsage{"UnknownDevice", {"run", rope_package(), "--request", "-", "--device", "abacus"}, "abacus"},
        BadUsage{"UnknownCheck", {"run", rope_package(), "--request", "-", "--check", "some"}, "some"},
        BadUsage{"TimeoutOfZero", {"run", rope_package(), "--request", "-", "--timeout", "0"}, "--timeout"},
        BadUsage{"TimeoutTooSmall", {"run", rope_package(), "--request", "-", "--timeout", "1e-9"}, "--timeout"},
        BadUsage{"TimeoutNegative", {"run", rope_package(), "--request", "-", "--timeout", "-1"}, "--timeout"},
        BadUsage{"TimeoutNotANumber", {"test", rope_package(), "--timeout", "nan"}, "--timeout"},
        BadUsage{"TimeoutInfinite", {"verify", rope_package(), "--timeout", "inf"}, "--timeout"},
        BadUsage{"TimeoutTooLarge", {"explain", rope_package(), "--request", "-", "--timeout", "1e7"}, "--timeout"},
        BadUsage{"TimeoutIsText", {"run", rope_package(), "--request", "-", "--timeout", "soon"}, "--timeout"},
        BadUsage{"FilterIsNoRegex", {"test", rope_package(), "--filter", "("}, "--filter"}),
    [](const auto& info) { return info.param.name; });

TEST(BadUsage, MalformedAttributes) {
  expect_error(wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--attr", "interleaved"}), 2, "usage",
               "--attr: \"interleaved\" must be NAME=JSON");
  expect_error(wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--attr", "interleaved=[1"}), 2, "usage",
               "--attr interleaved=[1: not a JSON value");
}

TEST(BadUsage, LongTextsAreCutInMessages) {
  const std::string text(100000, 'x');
  for (const std::string& assignment : {text, "interleaved=" + text, text + "=1"}) {
    const auto message = expect_error(
        wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--attr", assignment}), 2, "usage", "--attr");
    EXPECT_LT(message.size(), 1000U);
  }
}

TEST(Usage, TimeoutsOfMoreThanTheDefaultAreTaken) {
  for (const char* seconds : {"0.5", "61", "1000000"}) {
    const auto result = wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--timeout", seconds});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST(BadUsage, UnwritableOutput) {
  expect_error(wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--output", "/no-such-folder/out.json"}), 2,
               "usage", "/no-such-folder/out.json: No such file or directory");
  const TemporaryFolder folder;
  expect_error(wgk_run(rope_package(), rope_request(), {"--device", "cpu", "--output", folder.path().string()}), 2,
               "usage", ": Is a directory");
}

TEST(BadUsage, AFullStandardOutputIsNoticed) {
  ProcessOptions options;
  options.input = rope_request().dump();
  options.stdout_file = "/dev/full";
  const auto result = wgk({"run", rope_package(), "--request", "-", "--device", "cpu", "--json"}, options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace wgk::test
