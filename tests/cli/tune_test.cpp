// wgk tune, and the commands that read what it writes.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "wgk.h"

namespace wgk::test {
namespace {

using Arguments = std::vector<std::string>;

ProcessResult tune(Arguments more) {
  Arguments arguments = {"tune", rope_package(), "--device", "software", "--figure-seconds", "0.01"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return wgk(std::move(arguments));
}

json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return json::parse(file, nullptr, false);
}

/// A tuning for the request of rope_request() on this machine's software adapter.
json rope_tuning(const std::string& variant, const json& tunables = json::object()) {
  const json devices = parse_output(wgk({"devices", "--json"}));
  json adapter;
  for (const json& device : devices["devices"]) {
    if (device["kind"] != "software") continue;
    const json& info = device["profile"]["adapter"];
    adapter = {{"vendor", info["vendor"]},
               {"device", info["device"]},
               {"backend", info["backend"]},
               {"driver", info["description"]}};
    break;
  }
  json inputs;
  const json request = rope_request();
  for (const auto& [key, tensor] : request["inputs"].items()) {
    inputs[key] = {{"dtype", tensor["dtype"]}, {"shape", tensor["shape"]}};
  }
  return {{"version", 1},
          {"entries",
           {{{"adapter", adapter},
             {"op", "ai.onnx.RotaryEmbedding"},
             {"inputs", inputs},
             {"attrs", {{"interleaved", 1}}},
             {"variant", variant},
             {"tunables", tunables},
             {"defaultNs", 2},
             {"tunedNs", 1}}}}};
}

TEST(Tune, WritesAFileThatOtherCommandsRead) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "new/tuning.json").string();
  const auto result = tune({"--case", "^decode_b1_.*f32$", "--try", "WORKGROUP_SIZE=[64,256]", "--output", file,
                            "--seconds", "20", "--patch", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = parse_output(result);
  EXPECT_EQ(report["file"], file);
  ASSERT_EQ(report["results"].size(), 1u);
  EXPECT_GT(report["results"][0]["defaultNs"], 0);
  EXPECT_LE(report["results"][0]["bestNs"], report["results"][0]["defaultNs"]);
  EXPECT_GE(report["results"][0]["tried"], 2);
  EXPECT_TRUE(report["patches"]["ai.onnx.RotaryEmbedding"].is_array());
  const json written = read_json(file);
  ASSERT_EQ(written["entries"].size(), 1u);
  EXPECT_EQ(written["entries"][0]["inputs"]["x"]["shape"], json({1, 32, 1, 128}));
  // Again: the entry is replaced, not doubled.
  ASSERT_EQ(tune({"--case", "^decode_b1_.*f32$", "--output", file, "--seconds", "0.001"}).exit_code, 0);
  EXPECT_EQ(read_json(file)["entries"].size(), 1u);
}

TEST(Tune, DryRunWritesNothing) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "tuning.json").string();
  const auto result = tune({"--case", "^decode_b1_.*f32$", "--output", file, "--dry-run", "--seconds", "0.001"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_NE(result.out.find("time ran out"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("nothing was written"), std::string::npos);
}

TEST(Tune, RefusesBeforeItMeasures) {
  const TemporaryFolder folder;
  const std::string broken = (folder.path() / "broken.json").string();
  std::ofstream(broken) << "{\"version\": 1, \"entries\": [";
  expect_error(tune({"--output", broken, "--json"}), 2, "usage", broken);
  EXPECT_EQ(std::filesystem::file_size(broken), 27u) << "a file that is no tuning must not be replaced";
  expect_error(tune({"--output", (folder.path() / "t.json").string(), "--try", "WORKGROUP_SIZE=64", "--json"}), 2,
               "usage", "must be a list");
}

/// A variant that `explain` says this of, for the request of rope_request().
std::string variant_with_outcome(const std::string& outcome) {
  ProcessOptions options;
  options.input = rope_request().dump();
  const auto result =
      wgk({"explain", rope_package(), "--request", "-", "--device", "software", "--tuning", "none", "--json"}, options);
  const json plan = parse_output(result);
  for (const json& decision : plan["decisions"]) {
    if (decision["outcome"] == outcome) return decision["id"];
  }
  ADD_FAILURE() << "no variant is " << outcome << ": " << plan["decisions"];
  return {};
}

TEST(TuningFile, DecidesTheVariantOfRun) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "tuning.json").string();
  const auto variant_of = [&](const Arguments& more, const std::string& environment = "none") {
    Arguments arguments = {"run", rope_package(), "--request", "-", "--device", "software", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ProcessOptions options;
    options.input = rope_request().dump();
    options.environment.emplace_back("WGK_TUNING", environment);
    const auto result = wgk(arguments, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json output = parse_output(result);
    EXPECT_EQ(output["outputs"]["y"]["data"], rope_result());
    return output["variant"].get<std::string>();
  };
  const std::string own = variant_of({});
  const std::string eligible = variant_with_outcome("eligible");
  const std::string rejected = variant_with_outcome("rejected");
  std::ofstream(file) << rope_tuning(eligible, {{"WORKGROUP_SIZE", 64}}).dump();
  EXPECT_EQ(variant_of({"--tuning", file}), eligible);
  EXPECT_EQ(variant_of({}, file), eligible);
  EXPECT_EQ(variant_of({"--tuning", "none"}, file), own);
  EXPECT_EQ(variant_of({"--tuning", file, "--variant", own}), own) << "what the caller pins is stronger";

  ProcessOptions stale;
  stale.input = rope_request().dump();
  std::ofstream(file) << rope_tuning("gone", {{"OLD", 1}}).dump();
  const auto told = wgk({"run", rope_package(), "--request", "-", "--device", "software", "--tuning", file}, stale);
  EXPECT_NE(told.err.find("has no variant \"gone\""), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("has no tunable \"OLD\""), std::string::npos) << told.err;

  // Of another driver, of a variant that does not take the call, of one that is gone: passed over.
  json other = rope_tuning(eligible);
  other["entries"][0]["adapter"]["driver"] = "another";
  for (const json& tuning : {other, rope_tuning(rejected), rope_tuning("gone")}) {
    std::ofstream(file) << tuning.dump();
    EXPECT_EQ(variant_of({"--tuning", file}), own);
  }
}

TEST(TuningFile, ThatIsMalformedOrAbsentIsAnError) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "tuning.json").string();
  const Arguments more = {"--device", "software", "--tuning", file};
  expect_error(wgk_run(rope_package(), rope_request(), more), 2, "usage", "cannot be read");
  std::ofstream(file) << R"({"version": 2, "entries": []})";
  expect_error(wgk_run(rope_package(), rope_request(), more), 2, "usage", "tuning.json: tuning: /version: must be 1");
}

}  // namespace
}  // namespace wgk::test
