// wgk test: the cases of packages on one device.
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/test_cases.hpp>

#include "checksums.h"
#include "cli.h"
#include "package_flags.h"
#include "test_report.h"

namespace wgk::cli {
namespace {

struct Options {
  std::vector<std::string> packages;
  std::string filter;
  std::string junit;
  std::string checksums;          ///< written here
  std::string compare_checksums;  ///< compared with these
  bool json = false;
  DeviceFlags device;
  PackageFlags source;
};

struct Suite {
  Package package;
  TestCases cases;
};

/// Loads every package before the device is opened: a bad one fails at once.
Result<std::vector<Suite>> load_suites(const Options& options, const std::regex* filter) {
  std::function<bool(std::string_view)> wanted;
  if (filter != nullptr) {
    wanted = [filter](std::string_view name) { return std::regex_search(name.begin(), name.end(), *filter); };
  }
  std::vector<Suite> suites;
  for (const std::string& location : options.packages) {
    auto package = options.source.load(location);
    if (!package) return package.error();
    auto cases = TestCases::load(*package, wanted);
    if (!cases) return cases.error();
    suites.push_back({*std::move(package), *std::move(cases)});
  }
  return suites;
}

PackageReport run_suite(const Suite& suite, const Device& device, Watchdog& watchdog) {
  PackageReport report{suite.package.location(), suite.package.op(), {}};
  const Kernel kernel(device, suite.package);
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    watchdog.restart();
    report.cases.push_back({suite.cases.name(i), suite.cases.run(i, kernel)});
  }
  return report;
}

Result<std::unique_ptr<std::regex>> compile_filter(const std::string& text) {
  if (text.empty()) return std::unique_ptr<std::regex>();
  try {
    return std::make_unique<std::regex>(text);
  } catch (const std::regex_error& error) {
    return Error{ErrorCode::kUsage,
                 fmt::format("--filter: \"{}\" is not a regular expression: {}", text, error.what())};
  }
}

std::string summary(const std::vector<PackageReport>& reports) {
  const Tally sum = total(reports);
  return fmt::format("{} passed, {} failed, {} skipped\n", sum.passed, sum.failed, sum.skipped);
}

int deliver_reports(const Options& options, const Device& device, const std::vector<PackageReport>& reports) {
  if (!options.junit.empty()) {
    if (const int code = deliver(report_junit(reports), options.junit, options.json); code != kExitOk) return code;
  }
  std::string text;
  if (options.json) {
    text = report_json(device, reports);
  } else {
    text = fmt::format("on {}\n", device_text(device));
    for (const PackageReport& report : reports) text += package_text(report);
    text += summary(reports);
  }
  if (!write_stdout(text)) return kExitUsage;
  return total(reports).failed > 0 ? kExitCheckFailed : kExitOk;
}

int run(const Options& options) {
  const auto filter = compile_filter(options.filter);
  if (!filter) return report(filter.error(), options.json);
  const auto suites = load_suites(options, filter->get());
  if (!suites) return report(suites.error(), options.json);
  Watchdog watchdog(options.device.timeout_seconds, options.json);
  const auto device = options.device.open();
  if (!device) return report(device.error(), options.json);
  std::vector<PackageReport> reports;
  std::size_t cases = 0;
  for (const Suite& suite : *suites) {
    reports.push_back(run_suite(suite, *device, watchdog));
    cases += reports.back().cases.size();
  }
  watchdog.stop();
  if (cases == 0) {
    // A filter that matches nothing would otherwise pass in CI for ever.
    return report(Error{ErrorCode::kUsage, options.filter.empty()
                                               ? "the packages have no test cases"
                                               : fmt::format("--filter: \"{}\" matches no test case", options.filter)},
                  options.json);
  }
  if (!options.checksums.empty()) {
    if (const int code = deliver(checksums_text(reports), options.checksums, options.json); code != kExitOk)
      return code;
  }
  if (!options.compare_checksums.empty()) {
    const Status compared = compare_checksums(options.compare_checksums, reports);
    if (!compared) return report(compared.error(), options.json);
  }
  return deliver_reports(options, *device, reports);
}

}  // namespace

void add_test(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("test", "Run the test cases of packages and compare the results");
  command->add_option("PACKAGE", options->packages, kPackagesHelp)->required();
  options->source.add_to(*command);
  command->add_option("--filter", options->filter, "Only cases whose name matches")->type_name("REGEX");
  command->add_option("--junit", options->junit, "Also write the results as JUnit XML")
      ->check(file_to_write())
      ->type_name("FILE");
  command->add_option("--checksums", options->checksums, "Write the checksums of float16 results")
      ->check(file_to_write())
      ->type_name("FILE");
  command
      ->add_option("--compare-checksums", options->compare_checksums,
                   "Fail where float16 results differ from those that --checksums wrote, perhaps on another adapter")
      ->type_name("FILE");
  options->device.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  wgk test ai.onnx.RotaryEmbedding --device software --filter 3d --junit results.xml");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
