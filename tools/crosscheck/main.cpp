// wgk_crosscheck: plans test cases for a device that another WebGPU implementation drives, and judges its results.
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/try.h"
#include "choice.h"
#include "exchange.h"
#include "planned_case.h"
#include "suite.h"
#include "tally.h"

namespace wgk::crosscheck {
namespace {

struct Options {
  std::string profile;
  std::string results;
  std::string output;
  std::vector<std::string> packages;
  std::size_t per_variant = 0;
};

Status write_file(const std::string& file, const std::string& text) {
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return Error{ErrorCode::kUsage, fmt::format("{}: cannot be written", file)};
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = std::fclose(out) == 0;
  if (written && closed) return {};
  return Error{ErrorCode::kUsage, fmt::format("{}: cannot be written", file)};
}

/// Writes a line for every chosen case that has to run.
Result<bool> plan(const Options& options) {
  WGK_TRY(const DeviceProfile profile, load_profile(options.profile));
  WGK_TRY(const std::vector<Suite> suites, load_suites(options.packages, profile));
  std::string lines;
  for (const Suite& suite : suites) {
    Choice choice(options.per_variant);
    for (std::size_t i = 0; i < suite.cases.size(); ++i) {
      const PlannedCase planned = plan_case(suite, i);
      if (!planned.verdict && choice.takes(planned.plan)) lines += case_line(case_id(suite, i), planned);
    }
  }
  WGK_CHECK(write_file(options.output, lines));
  return true;
}

CaseResult judge_outcome(const Suite& suite, std::size_t index, const PlannedCase& planned,
                         const std::map<std::string, PlanOutcome>& outcomes) {
  const auto found = outcomes.find(case_id(suite, index));
  if (found == outcomes.end()) return failed_case(planned.plan.variant, "did not run");
  if (!found->second.error.empty()) return failed_case(planned.plan.variant, found->second.error);
  return judge_case(suite, index, planned.plan, found->second.outputs);
}

/// "; variants run: 11 of 12", and a line for each of the others with the first reason that was met.
std::string variants_text(const Choice& choice) {
  const auto left = choice.variants_left();
  std::string text =
      fmt::format("; variants run: {} of {}", choice.variants_run(), choice.variants_run() + left.size());
  for (const auto& [id, reason] : left) text += fmt::format("\n  not {}: {}", id, reason);
  return text;
}

Tally judge_suite(const Suite& suite, const std::map<std::string, PlanOutcome>& outcomes, std::size_t per_variant) {
  Tally tally;
  Choice choice(per_variant);
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    const PlannedCase planned = plan_case(suite, i);
    if (!planned.verdict && !choice.takes(planned.plan)) {
      ++tally.left_out;
      continue;
    }
    const CaseResult verdict = planned.verdict ? *planned.verdict : judge_outcome(suite, i, planned, outcomes);
    tally.add(verdict, !planned.verdict);
    if (verdict.outcome == CaseResult::Outcome::kFailed) {
      fmt::print("FAILED {} (variant {}): {}\n", case_id(suite, i), verdict.variant, verdict.message);
    }
  }
  fmt::print("{}: {}{}\n", suite.name, tally.text(), variants_text(choice));
  return tally;
}

/// True when no case failed and some ran: a cross-check that ran nothing would pass for ever.
Result<bool> judge(const Options& options) {
  WGK_TRY(const DeviceProfile profile, load_profile(options.profile));
  WGK_TRY(const std::vector<Suite> suites, load_suites(options.packages, profile));
  WGK_TRY(const std::string text, read_file(options.results));
  WGK_TRY(const auto outcomes, read_outcomes(text));
  Tally total;
  for (const Suite& suite : suites) total.add(judge_suite(suite, outcomes, options.per_variant));
  fmt::print("{} packages: {}\n", suites.size(), total.text());
  return total.failed == 0 && total.ran > 0;
}

int finish(const Result<bool>& done) {
  if (done) return *done ? 0 : 1;
  fmt::print(stderr, "wgk_crosscheck: {}\n", done.error().message);
  return 2;
}

int run(int argc, char** argv) {
  CLI::App app("Plans test cases for another WebGPU implementation and judges its results.", "wgk_crosscheck");
  app.require_subcommand(1);
  Options options;
  int exit = 0;
  const auto add_common = [&](CLI::App* command) {
    command->add_option("--profile", options.profile, "Profile of the device")->required()->type_name("FILE");
    command->add_option("--per-variant", options.per_variant,
                        "Only so many cases of a variant, and those that render further shaders (0: all)");
    command->add_option("PACKAGE", options.packages, "Package folders")->required();
  };
  CLI::App* planner = app.add_subcommand("plan", "Write the plans and inputs of all test cases that have to run");
  add_common(planner);
  planner->add_option("--output", options.output, "Where to write them")->required()->type_name("FILE");
  planner->callback([&] { exit = finish(plan(options)); });
  CLI::App* judger = app.add_subcommand("judge", "Compare results as `wgk test` does");
  add_common(judger);
  judger->add_option("--results", options.results, "What came back")->required()->type_name("FILE");
  judger->callback([&] { exit = finish(judge(options)); });
  CLI11_PARSE(app, argc, argv);
  return exit;
}

}  // namespace
}  // namespace wgk::crosscheck

int main(int argc, char** argv) {
  try {
    return wgk::crosscheck::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "wgk_crosscheck: {}\n", error.what());
    return 2;
  }
}
