// Parts of `wgk bench` and `wgk tune` that need no process: the search, the patch, the report and the progress line.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/bench_html.h"
#include "cli/bench_report.h"
#include "cli/progress.h"
#include "cli/tune_report.h"
#include "cli/tune_search.h"

namespace wgk::cli {
namespace {

using Values = std::vector<AttributeValue>;

TEST(GuessedValues, AreHalvesAndDoublesWithinReason) {
  struct Row {
    AttributeValue given;
    Values want;
  };
  const Row rows[] = {
      {256, {32, 64, 128, 256, 512, 1024}},  // more than 1024 invocations in a workgroup exist nowhere
      {64, {8, 16, 32, 64, 128, 256, 512}},
      {1, {1, 2, 4, 8}},
      {3, {3, 6, 12, 24}},  // half of 3 is no integer
      {12, {3, 6, 12, 24, 48, 96}},
      {131072, {16384, 32768, 65536, 131072, 262144, 524288, 1048576}},
      {true, {false, true}},
      {0, {}},
      {-4, {}},
      {0.5, {}},
      {"fast", {}},
  };
  for (const Row& row : rows) EXPECT_EQ(guessed_values(row.given), row.want);
}

/// A search over times that a formula gives.
struct Landscape {
  std::map<std::string, TuneTunables> tunables;
  std::function<std::optional<double>(const TuneCandidate&)> time;
  std::size_t budget = 1000;
  std::vector<TuneCandidate> asked{};

  Result<TuneOutcome> search(const std::vector<std::string>& variants, double margin = 0.02) {
    TuneSearch ways;
    ways.time = [this](const TuneCandidate& candidate) -> Result<std::optional<double>> {
      asked.push_back(candidate);
      return time(candidate);
    };
    ways.out_of_time = [this] { return asked.size() >= budget; };
    return cli::search(variants, tunables, margin, ways);
  }
};

std::int64_t value_of(const TuneCandidate& candidate, const std::string& name, std::int64_t given) {
  const auto found = candidate.tunables.find(name);
  return found == candidate.tunables.end() ? given : std::get<std::int64_t>(found->second.get());
}

TuneTunables workgroup_size() { return {{"WG", {256, {64, 128, 256, 512}}}}; }

TEST(TuneSearch, FindsTheBestVariantAndItsTunables) {
  Landscape land;
  land.tunables = {{"a", workgroup_size()}, {"b", workgroup_size()}};
  // b is faster than a, and fastest with 64: 70 ns where a by default takes 100.
  land.time = [](const TuneCandidate& candidate) -> std::optional<double> {
    const double base = candidate.variant == "a" ? 100 : 80;
    return base - (value_of(candidate, "WG", 256) == 64 ? 10 : 0);
  };
  const auto outcome = land.search({"a", "b"}).value();
  EXPECT_EQ(outcome.candidate, (TuneCandidate{"b", {{"WG", 64}}}));
  EXPECT_EQ(outcome.default_ns, 100);
  EXPECT_EQ(outcome.best_ns, 70);
  EXPECT_TRUE(outcome.complete);
}

TEST(TuneSearch, FollowsTunablesThatDependOnEachOther) {
  Landscape land;
  land.tunables = {{"a", {{"K", {1, {1, 2, 4}}}, {"WG", {256, {64, 256}}}}}};
  // Alone K = 4 is slower; with WG = 64 it is fastest. From (1, 256) the way leads over WG.
  land.time = [](const TuneCandidate& candidate) -> std::optional<double> {
    const bool small = value_of(candidate, "WG", 256) == 64;
    const std::int64_t k = value_of(candidate, "K", 1);
    return small ? (k == 4 ? 50 : 90) : (k == 1 ? 100 : 120);
  };
  const auto outcome = land.search({"a"}).value();
  EXPECT_EQ(outcome.candidate, (TuneCandidate{"a", {{"K", 4}, {"WG", 64}}}));
  EXPECT_EQ(outcome.best_ns, 50);
}

TEST(TuneSearch, TriesNoCandidateTwice) {
  Landscape land;
  land.tunables = {{"a", {{"K", {1, {1, 2, 4}}}, {"WG", {256, {64, 256}}}}}};
  land.time = [](const TuneCandidate& candidate) -> std::optional<double> {
    return 100.0 - static_cast<double>(candidate.tunables.size()) * 10;
  };
  static_cast<void>(land.search({"a"}).value());
  for (std::size_t i = 0; i < land.asked.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(land.asked[i] == land.asked[j]) << i << " and " << j;
  }
}

TEST(TuneSearch, NoiseWithinTheMarginChangesNothing) {
  Landscape land;
  land.tunables = {{"a", workgroup_size()}};
  land.time = [](const TuneCandidate& candidate) -> std::optional<double> {
    return candidate.tunables.empty() ? 100 : 98.5;
  };
  EXPECT_EQ(land.search({"a"}, 0.02).value().candidate, (TuneCandidate{"a", {}}));
  EXPECT_FALSE(land.search({"a"}, 0.01).value().candidate.tunables.empty());
}

TEST(TuneSearch, PassesOverWhatCannotRunAndSaysWhenTimeRanOut) {
  Landscape land;
  land.tunables = {{"a", workgroup_size()}};
  land.time = [](const TuneCandidate& candidate) -> std::optional<double> {
    if (value_of(candidate, "WG", 256) < 128) return std::nullopt;
    return static_cast<double>(value_of(candidate, "WG", 256));
  };
  EXPECT_EQ(land.search({"a"}).value().candidate, (TuneCandidate{"a", {{"WG", 128}}}));
  Landscape hurried = land;
  hurried.asked.clear();
  hurried.budget = 1;
  const auto outcome = hurried.search({"a", "b"}).value();
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.tried, 1u);
  EXPECT_EQ(outcome.candidate, (TuneCandidate{"a", {}}));
}

TuneRow row_with(Attributes tunables, std::string error = {}) {
  TuneRow row;
  row.entry.tunables = std::move(tunables);
  row.error = std::move(error);
  return row;
}

TEST(TunablePatch, FollowsTheMajorityOfCases) {
  const Attributes declared{{"K", 1}, {"WG/x~y", 256}};
  const std::vector<TuneRow> rows = {row_with({{"WG/x~y", 64}}), row_with({{"WG/x~y", 64}}), row_with({}),
                                     row_with({{"K", 2}}, "failed")};
  EXPECT_EQ(tunable_patch(declared, false, rows).dump(),
            R"([{"op":"replace","path":"/tunables/WG~1x~0y/default","value":64}])");
  EXPECT_EQ(tunable_patch(declared, true, rows).dump(), R"([{"op":"replace","path":"/tunables/WG~1x~0y","value":64}])");
  // One for, one against: it stays.
  EXPECT_EQ(tunable_patch(declared, false, {rows[1], rows[2]}).dump(), "[]");
}

BenchRow bench_row(std::string name, double ns) {
  BenchRow row;
  row.op = "test.Op";
  row.case_name = std::move(name);
  row.variant = "only";
  row.selected = true;
  row.tunables = {{"WG", 64}};
  row.timing.variant = "only";
  row.timing.call = {ns, ns, ns * 2, ns / 100, 3};
  row.timing.dispatches = 10;
  row.timing.buffer_sets = 1;
  row.timing.useful_bytes = 1000;
  row.timing.encode_ns = 150;
  row.timing.run_ns = 9000;
  row.ceiling = CopyTiming{1000, 4, BenchClock::kGpu, {250, 250, 250, 0, 3}};
  return row;
}

BenchReport bench_report(std::string date, double ns) {
  BenchReport report;
  report.date = std::move(date);
  report.device = {{"kind", "gpu"}, {"name", "A & B"}, {"backend", "vulkan"}, {"driver", "1"}};
  report.rows.push_back(bench_row("case <1>", ns));
  return report;
}

TEST(BenchReport, ComputesBandwidthAndPercent) {
  // 1000 bytes in 500 ns are 2 GB/s; the copy moves them in 250 ns, 4 GB/s.
  const BenchRow row = bench_row("case", 500);
  EXPECT_DOUBLE_EQ(row.gigabytes_per_second(), 2);
  EXPECT_DOUBLE_EQ(row.percent(), 50);
}

TEST(BenchReport, ReadsBackWhatItWrote) {
  BenchReport report = bench_report("2026-01-01T00:00:00Z", 500);
  BenchRow failed;
  failed.op = "test.Op";
  failed.error = "why";
  report.rows.push_back(failed);
  const std::string text = bench_json(report).dump();
  const auto again = bench_from_json(text, "r.json");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(bench_json(*again).dump(), text);
  for (const char* bad :
       {"", "[]", "{}", R"({"date": "", "device": {}, "independent": false, "tuning": null, "results": [{}]})"}) {
    const auto result = bench_from_json(bad, "r.json");
    ASSERT_FALSE(result.ok()) << bad;
    EXPECT_EQ(result.error().code, ErrorCode::kUsage);
    EXPECT_EQ(result.error().message.rfind("r.json: ", 0), 0u) << result.error().message;
  }
}

TEST(BenchHtml, IsSelfContainedEscapedAndKnowsHistory) {
  BenchReport other = bench_report("2025-12-30T00:00:00Z", 800);
  other.device["name"] = "another";
  const std::string html =
      bench_html(bench_report("2026-01-01T00:00:00Z", 500), {other, bench_report("2025-12-31T00:00:00Z", 1000)});
  EXPECT_EQ(html.find("http"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("case <1>"), std::string::npos);
  EXPECT_NE(html.find("case &lt;1&gt;"), std::string::npos);
  EXPECT_NE(html.find("A &amp; B"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(html.find("Roofline"), std::string::npos);
  EXPECT_NE(html.find("-50.0%"), std::string::npos);  // 1000 ns became 500 ns
  EXPECT_EQ(html.find("2025-12-30"), std::string::npos) << "times of another device are no history";
  const std::string alone = bench_html(bench_report("2026-01-01T00:00:00Z", 500), {});
  EXPECT_EQ(alone.find("<h2>History"), std::string::npos);
}

TEST(BenchText, AlignsColumnsAndMarksOtherVariants) {
  BenchReport report = bench_report("", 500);
  report.rows.push_back(bench_row("a much longer name of a case", 1500));
  report.rows.back().selected = false;
  const std::string text = bench_text(report);
  EXPECT_NE(text.find("only * WG=64"), std::string::npos) << text;
  EXPECT_NE(text.find("* not the variant that is selected by itself"), std::string::npos);
  EXPECT_NE(text.find("50.0%"), std::string::npos) << text;
}

TEST(ProgressLine, FillsAndIsCut) {
  EXPECT_EQ(progress_line(0, 4, "a", 80), "[------------------------] 0/4 a");
  EXPECT_EQ(progress_line(1, 4, "a", 80), "[######------------------] 1/4 a");
  EXPECT_EQ(progress_line(9, 4, "a", 80), "[########################] 9/4 a");
  EXPECT_EQ(progress_line(1, 4, "a long name", 34), "[######------------------] 1/4 a l");
}

}  // namespace
}  // namespace wgk::cli
