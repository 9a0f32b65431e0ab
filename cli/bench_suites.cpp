// Loads packages and cases before any device is opened, so that mistakes show at once.
#include "bench_suites.h"

#include <regex>
#include <utility>

#include <fmt/format.h>

#include "cli.h"

namespace wgk::cli {
namespace {

Result<std::regex> compile_filter(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    return Error{ErrorCode::kUsage, fmt::format("--case: \"{}\" is not a regular expression: {}", text, error.what())};
  }
}

Result<std::vector<BenchCase>> all_cases(const Package& package, const SuiteOptions& options) {
  if (options.requests.empty()) return load_bench_cases(package);
  std::vector<BenchCase> cases;
  for (const std::string& path : options.requests) {
    auto request = read_request(path);
    if (!request) return request.error();
    cases.push_back(bench_case_from_request(path, *std::move(request)));
  }
  return cases;
}

Result<std::vector<BenchCase>> wanted_cases(const Package& package, const SuiteOptions& options) {
  auto all = all_cases(package, options);
  if (!all) return all;
  const auto filter = compile_filter(options.filter);
  if (!filter) return filter.error();
  std::vector<BenchCase> wanted;
  for (BenchCase& one : *all) {
    if (!options.filter.empty() && !std::regex_search(one.name, *filter)) continue;
    if (auto s = apply_assignments(options.attributes, "--attr", one.call.attrs); !s) return s.error();
    wanted.push_back(std::move(one));
  }
  return wanted;
}

}  // namespace

void SuiteOptions::add_to(CLI::App& command) {
  command.add_option("PACKAGE", packages, "Package folders, or ids of installed packages")->required();
  command.add_option("--case", filter, "Only cases whose name matches")->type_name("REGEX");
  command.add_option("--request", requests, "Measure this request instead of the cases of bench.json")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--attr", attributes, "Attribute; overrides the case")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
}

Result<std::vector<BenchSuite>> load_bench_suites(const SuiteOptions& options) {
  std::vector<BenchSuite> suites;
  std::size_t cases = 0;
  for (const std::string& location : options.packages) {
    auto package = Package::load(location);
    if (!package) return package.error();
    auto wanted = wanted_cases(*package, options);
    if (!wanted) return wanted.error();
    cases += wanted->size();
    suites.push_back({*std::move(package), *std::move(wanted)});
  }
  if (cases > 0) return suites;
  return Error{ErrorCode::kUsage, options.filter.empty()
                                      ? "the packages have no benchmark cases"
                                      : fmt::format("--case: \"{}\" matches no benchmark case", options.filter)};
}

}  // namespace wgk::cli
