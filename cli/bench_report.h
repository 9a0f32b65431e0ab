// What `wgk bench` found, as a table and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <wgk/bench.hpp>

namespace wgk::cli {

/// One call that was measured, or could not be.
struct BenchRow {
  std::string op;
  std::string case_name;
  std::string variant;    ///< empty where no variant takes the call
  bool selected = false;  ///< the variant that would run if nothing were pinned
  Attributes tunables;    ///< that were set for this row
  BenchTiming timing;
  std::optional<CopyTiming> ceiling;
  std::string error;  ///< not empty: why there are no times

  double gigabytes_per_second() const { return timing.call.gigabytes_per_second(timing.useful_bytes); }
  /// Of the copy ceiling; 0 without one.
  double percent() const;
};

struct BenchReport {
  std::string date;  ///< UTC, "2026-01-31T12:00:00Z"
  nlohmann::ordered_json device;
  bool independent = false;
  std::string tuning;  ///< the tuning file that calls were made with; empty: none
  std::vector<BenchRow> rows;
};

/// Columns aligned, one line per row, packages under their own heading.
std::string bench_text(const BenchReport& report);

nlohmann::ordered_json bench_json(const BenchReport& report);

/// GB/s in three digits.
std::string speed_text(double speed);

/// "3.28 us", "12.1 ms".
std::string time_text(double nanoseconds);

/// Reads back what bench_json wrote. Error: kUsage, with the member that is missing or wrong.
Result<BenchReport> bench_from_json(std::string_view text, const std::string& name);

}  // namespace wgk::cli
