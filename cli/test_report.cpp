// Text, JSON and JUnit XML of test results.
#include "test_report.h"

#include <cstdint>

#include <fmt/format.h>

#include "cli.h"

namespace wgk::cli {
namespace {

using Outcome = CaseResult::Outcome;

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kSkipped:
      break;
  }
  return "skipped";
}

std::string case_json(const CaseReport& report) {
  return fmt::format("{{\"name\":{},\"outcome\":\"{}\",\"variant\":{},\"valuesCompared\":{},\"message\":{}}}",
                     json_string(report.name), outcome_name(report.result.outcome), json_string(report.result.variant),
                     report.result.values_compared, json_string(report.result.message));
}

std::string tally_json(const Tally& tally) {
  return fmt::format("\"passed\":{},\"failed\":{},\"skipped\":{}", tally.passed, tally.failed, tally.skipped);
}

std::string package_json(const PackageReport& package) {
  std::string out = fmt::format("{{\"package\":{},\"op\":{},{},\"variants\":{{", json_string(package.location),
                                json_string(package.op), tally_json(package.tally()));
  std::string separator;
  for (const auto& [variant, count] : package.variants()) {
    out += fmt::format("{}{}:{}", separator, json_string(variant), count);
    separator = ",";
  }
  out += "},\"cases\":[";
  separator.clear();
  for (const CaseReport& report : package.cases) {
    out += separator + case_json(report);
    separator = ",";
  }
  return out + "]}";
}

/// Text for XML attributes and content; characters that XML 1.0 cannot hold become '?'.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string case_junit(const PackageReport& package, const CaseReport& report) {
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(package.op), xml(report.name));
  const std::string message = xml(report.result.message);
  switch (report.result.outcome) {
    case Outcome::kPassed:
      return head + "/>\n";
    case Outcome::kFailed:
      return fmt::format("{}><failure message=\"{}\"/></testcase>\n", head, message);
    case Outcome::kSkipped:
      break;
  }
  return fmt::format("{}><skipped message=\"{}\"/></testcase>\n", head, message);
}

}  // namespace

Tally PackageReport::tally() const {
  Tally tally;
  for (const CaseReport& report : cases) {
    tally.passed += report.result.outcome == Outcome::kPassed ? 1U : 0U;
    tally.failed += report.result.outcome == Outcome::kFailed ? 1U : 0U;
    tally.skipped += report.result.outcome == Outcome::kSkipped ? 1U : 0U;
  }
  return tally;
}

std::map<std::string, std::size_t> PackageReport::variants() const {
  std::map<std::string, std::size_t> counts;
  for (const CaseReport& report : cases) {
    if (!report.result.variant.empty()) ++counts[report.result.variant];
  }
  return counts;
}

std::size_t PackageReport::not_compared() const {
  std::size_t count = 0;
  for (const CaseReport& report : cases) {
    count += report.result.outcome == Outcome::kPassed && !report.result.values_compared ? 1U : 0U;
  }
  return count;
}

Tally total(const std::vector<PackageReport>& packages) {
  Tally sum;
  for (const PackageReport& package : packages) {
    const Tally tally = package.tally();
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.skipped += tally.skipped;
  }
  return sum;
}

std::string package_text(const PackageReport& package) {
  std::string out;
  for (const CaseReport& report : package.cases) {
    if (report.result.outcome == Outcome::kPassed) continue;
    out += fmt::format("{} {}: {}: {}\n", report.result.outcome == Outcome::kFailed ? "FAIL" : "skip", package.op,
                       report.name, report.result.message);
  }
  const Tally tally = package.tally();
  out += fmt::format("{}: {} passed, {} failed, {} skipped\n", package.op, tally.passed, tally.failed, tally.skipped);
  for (const auto& [variant, count] : package.variants()) out += fmt::format("  {:>6} {}\n", count, variant);
  if (const std::size_t count = package.not_compared(); count > 0) {
    out += fmt::format("  {} cases checked shapes, dtypes and NaN only: no expected values and no reference\n", count);
  }
  return out;
}

std::string report_json(const Device& device, const std::vector<PackageReport>& packages) {
  std::string out = fmt::format("{{\"device\":{},{},\"packages\":[", device_json(device), tally_json(total(packages)));
  for (std::size_t i = 0; i < packages.size(); ++i) out += (i == 0 ? "" : ",") + package_json(packages[i]);
  return out + "]}\n";
}

std::string report_junit(const std::vector<PackageReport>& packages) {
  const Tally sum = total(packages);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      sum.passed + sum.failed + sum.skipped, sum.failed, sum.skipped);
  for (const PackageReport& package : packages) {
    const Tally tally = package.tally();
    out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n", xml(package.op),
                       package.cases.size(), tally.failed, tally.skipped);
    for (const CaseReport& report : package.cases) out += case_junit(package, report);
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace wgk::cli
