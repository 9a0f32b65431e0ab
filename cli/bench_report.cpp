// The table, the JSON, and reading the JSON again.
#include "bench_report.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include <wgk/version.hpp>

#include "attribute_text.h"

namespace wgk::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view clock_name(BenchClock clock) {
  switch (clock) {
    case BenchClock::kGpu:
      return "gpu";
    case BenchClock::kWall:
      return "wall";
    case BenchClock::kHost:
      break;
  }
  return "host";
}

BenchClock clock_from(std::string_view name) {
  return name == "gpu" ? BenchClock::kGpu : name == "wall" ? BenchClock::kWall : BenchClock::kHost;
}

/// Thousandths of nanoseconds and of GB/s: more digits would only be noise.
double rounded(double value) { return static_cast<double>(static_cast<long long>(value * 1000 + 0.5)) / 1000; }

Json sample_json(const BenchSample& sample) {
  return {{"median", rounded(sample.median)},
          {"min", rounded(sample.minimum)},
          {"max", rounded(sample.maximum)},
          {"deviation", rounded(sample.deviation)},
          {"samples", sample.count}};
}

Json row_json(const BenchRow& row) {
  Json json{{"op", row.op}, {"case", row.case_name}, {"variant", row.variant}, {"selected", row.selected}};
  json["tunables"] = attributes_json(row.tunables);
  if (!row.error.empty()) {
    json["error"] = row.error;
    return json;
  }
  const BenchTiming& timing = row.timing;
  json["clock"] = clock_name(timing.clock);
  json["usefulBytes"] = timing.useful_bytes;
  json["ns"] = sample_json(timing.call);
  json["callsPerPass"] = timing.dispatches;
  json["bufferSets"] = timing.buffer_sets;
  json["gigabytesPerSecond"] = rounded(row.gigabytes_per_second());
  if (row.ceiling) {
    json["ceiling"] = {{"bytes", row.ceiling->bytes},
                       {"vectors", row.ceiling->vectors},
                       {"ns", sample_json(row.ceiling->copy)},
                       {"gigabytesPerSecond", rounded(row.ceiling->copy.gigabytes_per_second(row.ceiling->bytes))}};
    json["percentOfCeiling"] = rounded(row.percent());
  }
  if (timing.encode_ns > 0 || timing.run_ns > 0) {
    json["host"] = {{"encodeNs", rounded(timing.encode_ns)}, {"runNs", rounded(timing.run_ns)}};
  }
  return json;
}

BenchSample sample_from(const Json& json) {
  BenchSample sample;
  sample.median = json.at("median").get<double>();
  sample.minimum = json.at("min").get<double>();
  sample.maximum = json.at("max").get<double>();
  sample.deviation = json.at("deviation").get<double>();
  sample.count = json.at("samples").get<std::uint32_t>();
  return sample;
}

BenchRow row_from(const Json& json) {
  BenchRow row;
  row.op = json.at("op").get<std::string>();
  row.case_name = json.at("case").get<std::string>();
  row.variant = json.at("variant").get<std::string>();
  row.selected = json.at("selected").get<bool>();
  row.tunables = attributes_from(json.at("tunables"));
  if (json.contains("error")) {
    row.error = json.at("error").get<std::string>();
    return row;
  }
  row.timing.variant = row.variant;
  row.timing.clock = clock_from(json.at("clock").get<std::string>());
  row.timing.useful_bytes = json.at("usefulBytes").get<std::uint64_t>();
  row.timing.call = sample_from(json.at("ns"));
  row.timing.dispatches = json.at("callsPerPass").get<std::uint32_t>();
  row.timing.buffer_sets = json.at("bufferSets").get<std::uint32_t>();
  if (json.contains("ceiling")) {
    const Json& ceiling = json.at("ceiling");
    row.ceiling = CopyTiming{ceiling.at("bytes").get<std::uint64_t>(), ceiling.at("vectors").get<std::uint32_t>(),
                             row.timing.clock, sample_from(ceiling.at("ns"))};
  }
  if (json.contains("host")) {
    row.timing.encode_ns = json.at("host").at("encodeNs").get<double>();
    row.timing.run_ns = json.at("host").at("runNs").get<double>();
  }
  return row;
}

using Line = std::array<std::string, 10>;

Line line_of(const BenchRow& row) {
  std::string variant = row.variant + (row.selected || row.error.size() ? "" : " *");
  for (const auto& [name, value] : row.tunables) variant += fmt::format(" {}={}", name, attribute_text(value));
  if (!row.error.empty()) return {row.case_name, variant, row.error, {}, {}, {}, {}, {}, {}, {}};
  const BenchSample& call = row.timing.call;
  return {row.case_name,
          variant,
          time_text(call.median),
          time_text(call.minimum),
          call.median > 0 ? fmt::format("{:.1f}%", 100 * call.deviation / call.median) : "-",
          speed_text(row.gigabytes_per_second()),
          row.ceiling ? speed_text(row.ceiling->copy.gigabytes_per_second(row.ceiling->bytes)) : "-",
          row.ceiling ? fmt::format("{:.1f}%", row.percent()) : "-",
          row.timing.encode_ns > 0 ? time_text(row.timing.encode_ns) : "-",
          row.timing.run_ns > 0 ? time_text(row.timing.run_ns) : "-"};
}

std::string table(const std::vector<BenchRow>& rows) {
  std::vector<Line> lines{{"case", "variant", "median", "min", "spread", "GB/s", "copy", "of copy", "encode", "run"}};
  for (const BenchRow& row : rows) lines.push_back(line_of(row));
  std::array<std::size_t, 10> widths{};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool failed = i > 0 && !rows[i - 1].error.empty();
    for (std::size_t c = 0; c < (failed ? 2 : widths.size()); ++c) widths[c] = std::max(widths[c], lines[i][c].size());
  }
  std::string text;
  for (const Line& line : lines) {
    std::string one = fmt::format("  {:<{}}  {:<{}}", line[0], widths[0], line[1], widths[1]);
    for (std::size_t c = 2; c < line.size(); ++c) one += fmt::format("  {:>{}}", line[c], widths[c]);
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

std::string clock_remark(BenchClock clock) {
  switch (clock) {
    case BenchClock::kGpu:
      return "times by GPU timestamps";
    case BenchClock::kWall:
      return "the device has no timestamps: times by the host's clock, around submitting and waiting";
    case BenchClock::kHost:
      break;
  }
  return "times by the host's clock; \"copy\" is memcpy on all processors";
}

}  // namespace

double BenchRow::percent() const {
  if (!ceiling) return 0;
  const double best = ceiling->copy.gigabytes_per_second(ceiling->bytes);
  return best > 0 ? 100 * gigabytes_per_second() / best : 0;
}

std::string speed_text(double speed) { return fmt::format("{:.{}f}", speed, speed >= 100 ? 0 : speed >= 10 ? 1 : 2); }

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.2f} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.3f} ms", nanoseconds / 1e6);
  return fmt::format("{:.3f} s", nanoseconds / 1e9);
}

std::string bench_text(const BenchReport& report) {
  std::string text = fmt::format("on {} ({}, {})", report.device.value("name", ""), report.device.value("kind", ""),
                                 report.device.value("backend", ""));
  const auto timed =
      std::find_if(report.rows.begin(), report.rows.end(), [](const BenchRow& row) { return row.error.empty(); });
  if (timed != report.rows.end()) text += "; " + clock_remark(timed->timing.clock);
  text += report.independent ? "; independent calls\n" : "; each call waits for the one before\n";
  if (!report.tuning.empty()) text += fmt::format("tuned by {}\n", report.tuning);
  bool other_variants = false;
  for (auto first = report.rows.begin(); first != report.rows.end();) {
    const auto last = std::find_if(first, report.rows.end(), [&](const BenchRow& row) { return row.op != first->op; });
    text += fmt::format("\n{}\n{}", first->op, table({first, last}));
    for (; first != last; ++first) other_variants = other_variants || (first->error.empty() && !first->selected);
  }
  if (other_variants) text += "\n* not the variant that is selected by itself\n";
  return text;
}

Json bench_json(const BenchReport& report) {
  Json json{{"wgk", version_string()},
            {"date", report.date},
            {"device", report.device},
            {"independent", report.independent},
            {"tuning", report.tuning.empty() ? Json() : Json(report.tuning)},
            {"results", Json::array()}};
  for (const BenchRow& row : report.rows) json["results"].push_back(row_json(row));
  return json;
}

Result<BenchReport> bench_from_json(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{ErrorCode::kUsage, fmt::format("{}: is not JSON", name)};
  try {
    BenchReport report;
    report.date = json.at("date").get<std::string>();
    report.device = json.at("device");
    report.independent = json.at("independent").get<bool>();
    if (json.at("tuning").is_string()) report.tuning = json.at("tuning").get<std::string>();
    for (const Json& row : json.at("results")) report.rows.push_back(row_from(row));
    return report;
  } catch (const Json::exception& error) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: is not a file that wgk bench --json wrote: {}", name, error.what())};
  }
}

}  // namespace wgk::cli
