// wgk bench: how fast the calls of packages are, next to what the device reaches at best.
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/bench.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>

#include "bench_html.h"
#include "bench_report.h"
#include "bench_suites.h"
#include "cli.h"
#include "progress.h"

namespace wgk::cli {
namespace {

struct Options {
  SuiteOptions suites;
  std::vector<std::string> variants;
  bool all_variants = false;
  std::vector<std::string> tunables;
  BenchOptions bench;
  bool no_host = false;
  bool no_ceiling = false;
  std::string output;
  std::string html;
  std::vector<std::string> history;
  bool json = false;
  DeviceFlags device;
};

/// Ceilings by traffic: cases of the same size share one measurement.
class Ceilings {
 public:
  Ceilings(const Device& device, BenchOptions options) : device_(device), options_(options) {}

  Result<CopyTiming> of(std::uint64_t bytes) {
    if (const auto found = known_.find(bytes); found != known_.end()) return found->second;
    auto timing = bench_copy(device_, bytes, options_);
    if (timing) known_.emplace(bytes, *timing);
    return timing;
  }

 private:
  const Device& device_;
  BenchOptions options_;
  std::map<std::uint64_t, CopyTiming> known_;
};

class Runner {
 public:
  Runner(const Options& options, const Device& device, Watchdog& watchdog, std::size_t cases)
      : options_(options), device_(device), watchdog_(watchdog), ceilings_(device, options.bench), progress_(cases) {}

  Result<std::vector<BenchRow>> run(const BenchSuite& suite) {
    const Kernel kernel(device_, suite.package);
    for (const BenchCase& one : suite.cases) {
      progress_.show(done_++, suite.package.op() + " " + one.name);
      if (Status status = run_case(kernel, one); !status) return status.error();
    }
    return std::exchange(rows_, {});
  }

 private:
  Status run_case(const Kernel& kernel, const BenchCase& one) {
    watchdog_.restart();
    const auto accepting = accepting_variants(kernel, one.call);
    if (!accepting) {
      add_error(kernel, one, one.call.variant, accepting.error());
      return {};
    }
    std::vector<std::string> variants = options_.variants;
    if (options_.all_variants) variants = *accepting;
    if (variants.empty()) variants.push_back(accepting->front());
    for (const std::string& variant : variants) {
      BenchCase pinned = one;
      if (variant != accepting->front()) pinned.call.variant = variant;
      if (Status status = run_variant(kernel, pinned, variant, variant == accepting->front()); !status) return status;
    }
    return {};
  }

  Status run_variant(const Kernel& kernel, const BenchCase& one, const std::string& variant, bool selected) {
    watchdog_.restart();
    auto timing = bench_call(kernel, one, options_.bench);
    if (!timing) {
      if (device_.lost()) return timing.error();
      add_error(kernel, one, variant, timing.error());
      return {};
    }
    BenchRow row{kernel.package().op(), one.name, timing->variant, selected, one.call.tunables, *timing, {}, {}};
    if (!options_.no_ceiling) {
      watchdog_.restart();
      const auto ceiling = ceilings_.of(timing->useful_bytes);
      if (!ceiling) return ceiling.error();
      row.ceiling = *ceiling;
    }
    rows_.push_back(std::move(row));
    return {};
  }

  void add_error(const Kernel& kernel, const BenchCase& one, const std::string& variant, const Error& error) {
    rows_.push_back({kernel.package().op(), one.name, variant, false, one.call.tunables, {}, {}, error.message});
  }

  const Options& options_;
  const Device& device_;
  Watchdog& watchdog_;
  Ceilings ceilings_;
  Progress progress_;
  std::size_t done_ = 0;
  std::vector<BenchRow> rows_;
};

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

nlohmann::ordered_json device_description(const Device& device) {
  auto json = nlohmann::ordered_json::parse(device_json(device));
  json["driver"] = device.kind() == DeviceKind::kCpu ? "" : device.profile().adapter.description;
  return json;
}

Result<BenchReport> measure(const Options& options) {
  auto suites = load_bench_suites(options.suites);
  if (!suites) return suites.error();
  std::size_t cases = 0;
  for (BenchSuite& suite : *suites) {
    for (BenchCase& one : suite.cases) {
      if (auto s = apply_assignments(options.tunables, "--tunable", one.call.tunables); !s) return s.error();
    }
  }
  for (const BenchSuite& suite : *suites) cases += suite.cases.size();
  Watchdog watchdog(options.device.timeout_seconds, options.json);
  std::vector<Package> packages;
  for (const BenchSuite& suite : *suites) packages.push_back(suite.package);
  const auto device = options.device.open(packages);
  if (!device) return device.error();
  BenchReport report;
  report.date = utc_now();
  report.device = device_description(*device);
  report.independent = options.bench.independent;
  report.tuning = options.device.tuning_in_use();
  Runner runner(options, *device, watchdog, cases);
  for (const BenchSuite& suite : *suites) {
    auto rows = runner.run(suite);
    if (!rows) return rows.error();
    for (BenchRow& row : *rows) report.rows.push_back(std::move(row));
  }
  watchdog.stop();
  return report;
}

Result<std::vector<BenchReport>> read_history(const std::vector<std::string>& files) {
  std::vector<BenchReport> reports;
  for (const std::string& file : files) {
    const auto text = read_text(file);
    if (!text) return text.error();
    auto report = bench_from_json(*text, file);
    if (!report) return report.error();
    reports.push_back(*std::move(report));
  }
  return reports;
}

int run(const Options& options) {
  auto history = read_history(options.history);
  if (!history) return report(history.error(), options.json);
  const auto measured = measure(options);
  if (!measured) return report(measured.error(), options.json);
  const std::string json = bench_json(*measured).dump(1) + "\n";
  if (!options.html.empty()) {
    const std::string html = bench_html(*measured, *std::move(history));
    if (const int code = deliver(html, options.html, options.json); code != kExitOk) return code;
  }
  if (!options.output.empty()) {
    if (const int code = deliver(json, options.output, options.json); code != kExitOk) return code;
  }
  if (!write_stdout(options.json ? json : bench_text(*measured))) return kExitUsage;
  for (const BenchRow& row : measured->rows) {
    if (!row.error.empty()) return kExitCheckFailed;
  }
  return kExitOk;
}

}  // namespace

void add_bench(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Measure the calls of packages on one device");
  options->suites.add_to(*command);
  command->add_option("--variant", options->variants, "Measure this variant; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  command->add_flag("--all-variants", options->all_variants, "Measure every variant that accepts the case");
  command->add_option("--tunable", options->tunables, "Tuning constant")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
  command->add_flag("--independent", options->bench.independent,
                    "Calls of a pass work on buffers of their own, so that none waits for another");
  command->add_option("--repeat", options->bench.passes, "Most passes to time; each gives a sample")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--dispatches", options->bench.dispatches, "Calls in a pass; 0: chosen by their time")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--seconds", options->bench.seconds, "About how long one figure may take")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
  command->add_flag("--no-host", options->no_host, "Leave out what a call costs the host");
  command->add_flag("--no-ceiling", options->no_ceiling, "Leave out the copy ceiling");
  options->device.add_to(*command);
  options->device.add_tuning_to(*command);
  command->add_option("--output", options->output, "Also write the JSON result to this file")->type_name("FILE");
  command->add_option("--html", options->html, "Also write a report with charts to this file")->type_name("FILE");
  command->add_option("--history", options->history, "JSON results of earlier runs, for the report")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  wgk bench ai.onnx.RotaryEmbedding --case 'prefill_b1.*f16' --all-variants");
  command->callback([options, &exit] {
    options->bench.host = !options->no_host;
    exit = run(*options);
  });
}

}  // namespace wgk::cli
