// The results of `wgk test`, and their three forms.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/test_cases.hpp>

namespace wgk::cli {

struct CaseReport {
  std::string name;
  CaseResult result;
};

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
};

struct PackageReport {
  std::string location;
  std::string op;
  std::vector<CaseReport> cases;

  Tally tally() const;
  /// Cases that ran, by variant.
  std::map<std::string, std::size_t> variants() const;
  /// Passed cases whose values nothing could be compared with.
  std::size_t not_compared() const;
};

Tally total(const std::vector<PackageReport>& packages);

/// Failures and counts, for people.
std::string package_text(const PackageReport& package);
/// Byte-stable for the same results: no times, no paths of the run.
std::string report_json(const Device& device, const std::vector<PackageReport>& packages);
std::string report_junit(const std::vector<PackageReport>& packages);

}  // namespace wgk::cli
