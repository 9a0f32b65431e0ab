// Packages with the cases that `wgk bench` and `wgk tune` measure.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <wgk/bench.hpp>
#include <wgk/package.hpp>

namespace wgk::cli {

struct SuiteOptions {
  std::vector<std::string> packages;
  std::string filter;
  std::vector<std::string> requests;
  std::vector<std::string> attributes;

  /// PACKAGE, --case, --request and --attr.
  void add_to(CLI::App& command);
};

struct BenchSuite {
  Package package;
  std::vector<BenchCase> cases;
};

/// Loads packages and cases: those of the requests where some are given, else those of bench.json. No case at all is an
/// error (kUsage), since a filter that matches nothing is a mistake.
Result<std::vector<BenchSuite>> load_bench_suites(const SuiteOptions& options);

}  // namespace wgk::cli
