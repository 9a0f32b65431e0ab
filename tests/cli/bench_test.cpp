// wgk bench on the software adapter and the CPU path.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "wgk.h"

namespace wgk::test {
namespace {

using Arguments = std::vector<std::string>;

/// Quick figures: what is tested is that they are there.
ProcessResult bench(Arguments more, ProcessOptions options = {}) {
  Arguments arguments = {"bench", rope_package(), "--seconds", "0.02", "--repeat", "3", "--tuning", "none"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return wgk(std::move(arguments), std::move(options));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Bench, PrintsTimesBandwidthAndCeiling) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto result = bench({"--device", "software", "--case", "^decode_b1_.*f32$", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = parse_output(result);
  EXPECT_EQ(report["device"]["kind"], "software");
  ASSERT_EQ(report["results"].size(), 1u);
  const json& row = report["results"][0];
  EXPECT_EQ(row["case"], "decode_b1_n32_s1_h128_f32");
  EXPECT_EQ(row["selected"], true);
  // x and y: 32 * 128 floats each. One row of 64 floats of cos and sin each. One position of 4 bytes.
  EXPECT_EQ(row["usefulBytes"], 2 * 32 * 128 * 4 + 2 * 64 * 4 + 4);
  EXPECT_GT(row["ns"]["median"], 0);
  EXPECT_LE(row["ns"]["min"], row["ns"]["median"]);
  EXPECT_GE(row["ns"]["max"], row["ns"]["median"]);
  EXPECT_GT(row["ceiling"]["gigabytesPerSecond"], 0);
  EXPECT_NEAR(row["percentOfCeiling"].get<double>(),
              100 * row["gigabytesPerSecond"].get<double>() / row["ceiling"]["gigabytesPerSecond"].get<double>(), 0.5);
  EXPECT_GT(row["host"]["encodeNs"], 0);
  EXPECT_GT(row["host"]["runNs"], 0);
}

TEST(Bench, MeasuresVariantsAndTunablesSideBySide) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto result = bench({"--device", "software", "--case", "^decode_b1_.*f16$", "--all-variants", "--tunable",
                             "WORKGROUP_SIZE=64", "--no-host", "--no-ceiling", "--independent", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = parse_output(result);
  EXPECT_EQ(report["independent"], true);
  ASSERT_GE(report["results"].size(), 2u) << report;
  EXPECT_EQ(report["results"][0]["selected"], true);
  EXPECT_EQ(report["results"][1]["selected"], false);
  for (const json& row : report["results"]) {
    EXPECT_EQ(row["tunables"]["WORKGROUP_SIZE"], 64);
    EXPECT_GT(row["bufferSets"], 1);
    EXPECT_FALSE(row.contains("host"));
    EXPECT_FALSE(row.contains("ceiling"));
  }
}

TEST(Bench, TakesRequestsAndWritesReports) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  const std::string request = (folder.path() / "rope.json").string();
  std::ofstream(request) << rope_request().dump();
  const std::string first = (folder.path() / "first.json").string();
  ASSERT_EQ(bench({"--device", "software", "--request", request, "--output", first}).exit_code, 0);
  const std::string page = (folder.path() / "report.html").string();
  const auto result = bench({"--device", "software", "--request", request, "--html", page, "--history", first});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("of copy"), std::string::npos) << result.out;
  const std::string html = read_file(page);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("<h2>History"), std::string::npos);
  // x and y of 8 floats, positions 1 and 2 of 3 rows of two floats in cos and sin, two positions of 4 bytes.
  EXPECT_EQ(json::parse(read_file(first))["results"][0]["usefulBytes"], 2 * 32 + 2 * 16 + 8);
}

TEST(Bench, MeasuresTheCpuPath) {
  const auto result = bench({"--device", "cpu", "--case", "^decode_b1_.*f32$", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = parse_output(result);
  EXPECT_EQ(report["results"][0]["clock"], "host");
  EXPECT_GT(report["results"][0]["ns"]["median"], 0);
  EXPECT_GT(report["results"][0]["ceiling"]["gigabytesPerSecond"], 0);
}

TEST(Bench, RefusesWhatItCannotDo) {
  struct Row {
    Arguments arguments;
    int exit_code;
    std::string code;
    std::string part;
  };
  const TemporaryFolder folder;
  const std::string bad_history = (folder.path() / "bad.json").string();
  std::ofstream(bad_history) << "{}";
  const Row rows[] = {
      {{"--case", "no such case"}, 2, "usage", "matches no benchmark case"},
      {{"--case", "("}, 2, "usage", "is not a regular expression"},
      {{"--history", bad_history}, 2, "usage", "is not a file that wgk bench --json wrote"},
      {{"--history", (folder.path() / "absent.json").string()}, 2, "usage", "absent.json"},
      {{"--tunable", "WORKGROUP_SIZE"}, 2, "usage", "must be NAME=JSON"},
  };
  for (const Row& row : rows) {
    Arguments arguments = row.arguments;
    arguments.insert(arguments.end(), {"--device", "cpu", "--json"});
    expect_error(bench(arguments), row.exit_code, row.code, row.part);
  }
}

TEST(Bench, ACaseThatFailsIsReportedAndTheOthersRun) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const auto result = bench({"--device", "software", "--case", "^decode_b1_", "--variant", "no_such_variant",
                             "--no-host", "--no-ceiling", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  const json report = parse_output(result);
  ASSERT_EQ(report["results"].size(), 2u);
  for (const json& row : report["results"]) {
    EXPECT_NE(row["error"].get<std::string>().find("no_such_variant"), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace wgk::test
