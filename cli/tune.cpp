// wgk tune: finds the fastest variant and tunables for the cases of packages, and writes them down.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/bench.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/tuning.hpp>

#include "bench_suites.h"
#include "cli.h"
#include "progress.h"
#include "tune_report.h"
#include "tune_search.h"
#include "tuning_file.h"
#include "write_file.h"

namespace wgk::cli {
namespace {

struct Options {
  SuiteOptions suites;
  std::vector<std::string> values;  ///< of --try
  double seconds = 60;
  double figure_seconds = 0.1;
  double margin_percent = 2;
  std::string output;
  bool dry_run = false;
  bool patch = false;
  bool json = false;
  DeviceFlags device;
};

using Clock = std::chrono::steady_clock;

/// Lists of --try by the name of the tunable.
Result<std::map<std::string, std::vector<AttributeValue>>> lists_to_try(const std::vector<std::string>& assignments) {
  Attributes given;
  if (auto s = apply_assignments(assignments, "--try", given); !s) return s.error();
  std::map<std::string, std::vector<AttributeValue>> lists;
  for (const auto& [name, value] : given) {
    const auto* list = std::get_if<AttributeValue::List>(&value.get());
    if (list == nullptr) {
      return Error{ErrorCode::kUsage, fmt::format("--try: {} must be a list, for example {}=[64,128,256]", name, name)};
    }
    lists.emplace(name, *list);
  }
  return lists;
}

class Tuner {
 public:
  Tuner(const Options& options, const Device& device, Watchdog& watchdog,
        std::map<std::string, std::vector<AttributeValue>> lists, std::size_t cases)
      : options_(options),
        device_(device),
        watchdog_(watchdog),
        lists_(std::move(lists)),
        cases_(cases),
        progress_(cases) {
    bench_.host = false;
    bench_.passes = 10;
    bench_.seconds = options.figure_seconds;
  }

  /// One row for every case of the suite.
  Result<std::vector<TuneRow>> run(const BenchSuite& suite) {
    const Kernel kernel(device_, suite.package);
    std::vector<TuneRow> rows;
    for (const BenchCase& one : suite.cases) {
      // What is left of the time is shared among the cases that are left.
      const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
      case_end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(left / static_cast<double>(cases_ - done_)));
      TuneRow row{suite.package.op(), one.name, {}, {}, {}};
      row.entry = tuning_entry(kernel, one.call);
      if (Status status = tune_case(kernel, one, row); !status) {
        if (device_.lost()) return status.error();
        row.error = status.error().message;
      }
      ++done_;
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Status tune_case(const Kernel& kernel, const BenchCase& one, TuneRow& row) {
    watchdog_.restart();
    const auto variants = accepting_variants(kernel, one.call);
    if (!variants) return variants.error();
    std::map<std::string, TuneTunables> tunables;
    for (const std::string& variant : *variants) tunables.emplace(variant, tunables_of(kernel.package(), variant));
    best_ns_ = std::numeric_limits<double>::max();
    reference_.clear();
    TuneSearch ways;
    ways.time = [&](const TuneCandidate& candidate) { return time(kernel, one, candidate); };
    ways.out_of_time = [&] { return Clock::now() >= case_end_; };
    const auto outcome = search(*variants, tunables, options_.margin_percent / 100, ways);
    if (!outcome) return outcome.error();
    row.outcome = *outcome;
    if (Status status = confirm(kernel, one, variants->front(), row.outcome); !status) return status;
    const TuneCandidate& best = row.outcome.candidate;
    row.entry.variant = best.variant == variants->front() ? std::string() : best.variant;
    row.entry.tunables = best.tunables;
    row.entry.default_ns = row.outcome.default_ns;
    row.entry.tuned_ns = row.outcome.best_ns;
    return {};
  }

  /// The best of many noisy figures is too good, and the default was measured once: both are measured again, in turns,
  /// so that whatever disturbs the machine disturbs both.
  Status confirm(const Kernel& kernel, const BenchCase& one, const std::string& default_variant, TuneOutcome& outcome) {
    const TuneCandidate as_it_is{default_variant, {}};
    const TuneCandidate best = outcome.candidate;
    if (best == as_it_is) return {};
    constexpr int kRounds = 3;
    std::vector<double> before;
    std::vector<double> after;
    for (int round = 0; round < kRounds; ++round) {
      for (auto [candidate, times] : {std::pair{&as_it_is, &before}, std::pair{&best, &after}}) {
        const auto timing = bench_call(kernel, pinned(one, *candidate), bench_);
        if (!timing) return timing.error();
        times->push_back(timing->call.median);
        watchdog_.restart();
      }
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    outcome.default_ns = before[kRounds / 2];
    outcome.best_ns = after[kRounds / 2];
    if (outcome.best_ns < outcome.default_ns * (1 - options_.margin_percent / 100)) return {};
    outcome.candidate = as_it_is;
    outcome.best_ns = outcome.default_ns;
    return {};
  }

  static BenchCase pinned(const BenchCase& one, const TuneCandidate& candidate) {
    BenchCase result = one;
    result.call.variant = candidate.variant;
    result.call.tunables = candidate.tunables;
    return result;
  }

  TuneTunables tunables_of(const Package& package, const std::string& variant) const {
    TuneTunables result;
    for (const auto& [name, given] : variant_tunables(package, variant)) {
      const auto list = lists_.find(name);
      TuneTunable tunable{given, list == lists_.end() ? guessed_values(given) : list->second};
      if (!tunable.values.empty()) result.emplace(name, std::move(tunable));
    }
    return result;
  }

  /// The first candidate is what runs by default; its results are what every faster one must give too.
  Result<std::optional<double>> time(const Kernel& kernel, const BenchCase& one, const TuneCandidate& candidate) {
    watchdog_.restart();
    progress_.show(done_, fmt::format("{} {} {}", one.name, candidate.variant, values_text(candidate.tunables)));
    const BenchCase call = pinned(one, candidate);
    const auto timing = bench_call(kernel, call, bench_);
    const bool first = reference_.empty();
    if (!timing) {
      // A value that the package's own conditions refuse is no error of the search; a default that fails is.
      if (first || device_.lost()) return timing.error();
      return std::optional<double>();
    }
    const double ns = timing->call.median;
    if (!first && ns >= best_ns_) return std::optional<double>(ns);
    watchdog_.restart();
    const auto digest = bench_digest(kernel, call);
    if (!digest) return digest.error();
    if (first) reference_ = *digest;
    if (*digest != reference_) return std::optional<double>();
    best_ns_ = ns;
    return std::optional<double>(ns);
  }

  const Options& options_;
  const Device& device_;
  Watchdog& watchdog_;
  std::map<std::string, std::vector<AttributeValue>> lists_;
  std::size_t cases_;
  Progress progress_;
  BenchOptions bench_;
  std::size_t done_ = 0;
  Clock::time_point end_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
  Clock::time_point case_end_;
  double best_ns_ = 0;
  std::string reference_;
};

/// Adds the rows to what the file holds already. A file that cannot be read as one is an error: it is not replaced.
Result<Tuning> with_rows(const std::string& path, const std::vector<TuneRow>& rows) {
  Tuning tuning;
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::u8path(path), ignored)) {
    auto loaded = Tuning::load(path);
    if (!loaded) return loaded;
    tuning = *std::move(loaded);
  }
  for (const TuneRow& row : rows) {
    if (row.error.empty()) tuning.set(row.entry);
  }
  return tuning;
}

Status save(const Tuning& tuning, const std::string& path) {
  const auto folder = std::filesystem::u8path(path).parent_path();
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::kUsage, fmt::format("{}: {}", folder.string(), failed.message())};
  return write_file(tuning.to_json(), path);
}

Result<TuneReport> tune(const Options& options, const std::string& path) {
  const auto suites = load_bench_suites(options.suites);
  if (!suites) return suites.error();
  auto lists = lists_to_try(options.values);
  if (!lists) return lists.error();
  // Found out now rather than after minutes of measuring.
  if (!options.dry_run) {
    if (const auto readable = with_rows(path, {}); !readable) return readable.error();
  }
  Watchdog watchdog(options.device.timeout_seconds, options.json);
  const auto device = options.device.open();
  if (!device) return device.error();
  if (device->kind() == DeviceKind::kCpu) {
    return Error{ErrorCode::kUsage, "tune: the CPU path has neither variants nor tunables; choose another --device"};
  }
  std::size_t cases = 0;
  for (const BenchSuite& suite : *suites) cases += suite.cases.size();
  TuneReport report;
  report.device = device_text(*device);
  Tuner tuner(options, *device, watchdog, *std::move(lists), cases);
  for (const BenchSuite& suite : *suites) {
    auto rows = tuner.run(suite);
    if (!rows) return rows.error();
    if (options.patch) report.patches.emplace_back(suite.package.op(), manifest_patch(suite.package, *rows));
    for (TuneRow& row : *rows) report.rows.push_back(std::move(row));
  }
  watchdog.stop();
  return report;
}

int run(const Options& options) {
  const std::string path = tuning_path(options.output);
  if (path.empty() && !options.dry_run) {
    return report(Error{ErrorCode::kUsage, "tune: name a file with --output, or use --dry-run"}, options.json);
  }
  auto found = tune(options, path);
  if (!found) return report(found.error(), options.json);
  if (!options.dry_run) {
    const auto tuning = with_rows(path, found->rows);
    if (!tuning) return report(tuning.error(), options.json);
    if (const Status saved = save(*tuning, path); !saved) return report(saved.error(), options.json);
    found->file = path;
  }
  if (!write_stdout(options.json ? tune_json(*found) : tune_text(*found))) return kExitUsage;
  for (const TuneRow& row : found->rows) {
    if (!row.error.empty()) return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace

void add_tune(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("tune", "Find the fastest variant and tunables for the cases of packages");
  options->suites.add_to(*command);
  command->add_option("--try", options->values, "Values to try for a tunable instead of halves and doubles")
      ->type_name("NAME=[JSON,…]")
      ->allow_extra_args(false);
  command->add_option("--seconds", options->seconds, "Time for everything; what is not tried by then is not tried")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  command->add_option("--figure-seconds", options->figure_seconds, "About how long one candidate is measured")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  command->add_option("--margin", options->margin_percent, "Percent by which a candidate must be faster")
      ->check(CLI::Range(0.0, 50.0))
      ->capture_default_str();
  options->device.add_to(*command);
  command->add_option("--output", options->output, "The tuning file; default: WGK_TUNING, else the user's own")
      ->type_name("FILE");
  command->add_flag("--dry-run", options->dry_run, "Write no file");
  command->add_flag("--patch", options->patch, "Also print changes of the manifest's tunables as a JSON patch");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  wgk tune ai.onnx.RotaryEmbedding --case prefill --seconds 30 --output tuning.json");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
