// Bar charts by case, bandwidth by size next to the ceiling, and times across runs, drawn as SVG. Colours are CSS
// variables, so that the page follows the reader's choice of light or dark.
#include "bench_html.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <wgk/version.hpp>

#include "attribute_text.h"

namespace wgk::cli {
namespace {

constexpr std::string_view kHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wgk bench</title>
<style>
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2430; --soft: #5c6675; --line: #d5dae1;
  --s0: #2f6fb5; --s1: #c0662a; --s2: #3b8a57; --s3: #8a55a8; --s4: #a98a1d; --s5: #3d8c96; --top: #b3263c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181e; --ink: #e3e8ef; --soft: #9aa5b4; --line: #333c48;
    --s0: #6ea8e8; --s1: #eb9a63; --s2: #74c391; --s3: #c294de; --s4: #dcbf5c; --s5: #74c4ce; --top: #ff7387; } }
body { background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto;
  max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; }
p, figcaption { color: var(--soft); } figure { margin: 1rem 0; overflow-x: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .soft { fill: var(--soft); }
svg .axis { stroke: var(--line); fill: none; } svg .top { stroke: var(--top); fill: none; stroke-width: 2; }
svg .dot { stroke: var(--page); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; } td.bad { color: var(--top); text-align: left; white-space: normal; }
</style>
</head>
<body>
)html";

constexpr int kSeries = 6;  // colours

std::string escaped(std::string_view text) {
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
      default:
        // Control characters are not allowed in HTML, whatever a case may be called.
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string label_of(const BenchRow& row) {
  std::string label = row.variant;
  for (const auto& [name, value] : row.tunables) label += fmt::format(" {}={}", name, attribute_text(value));
  return label;
}

double ceiling_of(const BenchRow& row) {
  return row.ceiling ? row.ceiling->copy.gigabytes_per_second(row.ceiling->bytes) : 0;
}

std::string colour(std::size_t index) { return fmt::format("var(--s{})", index % kSeries); }

/// 1, 2 or 5 times a power of ten, about a fifth of `most`.
double tick_step(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(most, 1e-9) / 5)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor * 5 >= most) return power * factor;
  }
  return power * 10;
}

using Rows = std::vector<const BenchRow*>;

/// Rows with times, in groups of equal cases, in the order in which they came.
std::vector<std::pair<std::string, Rows>> by_case(const Rows& rows) {
  std::vector<std::pair<std::string, Rows>> groups;
  for (const BenchRow* row : rows) {
    if (!row->error.empty()) continue;
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == row->case_name; });
    if (found == groups.end()) {
      groups.push_back({row->case_name, {row}});
    } else {
      found->second.push_back(row);
    }
  }
  return groups;
}

std::string bar_chart(const Rows& rows) {
  const auto groups = by_case(rows);
  if (groups.empty()) return {};
  double most = 1;
  std::size_t bars = 0;
  std::map<std::string, std::size_t> colours;
  for (const auto& [name, members] : groups) {
    for (const BenchRow* row : members) {
      most = std::max({most, row->gigabytes_per_second(), ceiling_of(*row)});
      colours.emplace(label_of(*row), colours.size());
      ++bars;
    }
  }
  constexpr int kLeft = 10, kWidth = 620, kBar = 17, kGap = 30;
  const double scale = kWidth / most;
  const auto height = static_cast<int>(bars) * kBar + static_cast<int>(groups.size()) * kGap + 30;
  std::string svg = fmt::format("<figure><svg width=\"1060\" height=\"{}\" role=\"img\">\n", height);
  for (double tick = 0; tick <= most; tick += tick_step(most)) {
    const double x = kLeft + tick * scale;
    svg += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" y1=\"0\" x2=\"{0:.1f}\" y2=\"{1}\"/>", x, height - 22);
    svg += fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", x, height - 6,
                       tick);
  }
  int y = 0;
  for (const auto& [name, members] : groups) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft, y + 20, escaped(name));
    y += 25;
    const int top = y;
    for (const BenchRow* row : members) {
      const double speed = row->gigabytes_per_second();
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}: {} ({} "
          "GB/s)</title></rect>",
          kLeft, y, speed * scale, kBar - 3, colour(colours[label_of(*row)]), escaped(label_of(*row)),
          time_text(row->timing.call.median), speed_text(speed));
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{} GB/s, {}{} {}</text>\n",
                         kLeft + std::max(speed, ceiling_of(*row)) * scale + 6, y + kBar - 6, speed_text(speed),
                         time_text(row->timing.call.median),
                         row->ceiling ? fmt::format(", {:.1f}%", row->percent()) : std::string(),
                         escaped(members.size() > 1 ? label_of(*row) : std::string()));
      y += kBar;
    }
    if (const double copy = ceiling_of(*members.front()); copy > 0) {
      svg += fmt::format("<line class=\"top\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>\n",
                         kLeft + copy * scale, top - 2, y);
    }
    y += kGap - 25;
  }
  return svg +
         "</svg><figcaption>GB/s of useful bytes by case and variant; the red line is the copy ceiling for the "
         "same number of bytes.</figcaption></figure>\n";
}

/// Places values on a logarithmic axis of sizes and a linear one of speeds.
struct Plane {
  static constexpr double kLeft = 60, kTop = 12, kWidth = 860, kHeight = 300;
  double least_log;
  double most_log;
  double most_speed;

  double x(double bytes) const {
    return kLeft + kWidth * (std::log2(bytes) - least_log) / std::max(most_log - least_log, 1e-9);
  }
  double y(double speed) const { return kTop + kHeight * (1 - speed / most_speed); }
};

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.0f} KiB", bytes / 1024);
  if (bytes < 1024.0 * 1024 * 1024) return fmt::format("{:.0f} MiB", bytes / 1024 / 1024);
  return fmt::format("{:.0f} GiB", bytes / 1024 / 1024 / 1024);
}

std::string axes(const Plane& plane) {
  std::string svg;
  for (double tick = 0; tick <= plane.most_speed; tick += tick_step(plane.most_speed)) {
    const double y = plane.y(tick);
    svg += fmt::format("<line class=\"axis\" x1=\"{0}\" y1=\"{2:.1f}\" x2=\"{1}\" y2=\"{2:.1f}\"/>", Plane::kLeft,
                       Plane::kLeft + Plane::kWidth, y);
    svg += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", Plane::kLeft - 6,
                       y + 4, tick);
  }
  const double step = std::max(1.0, std::ceil((plane.most_log - plane.least_log) / 10));
  for (double power = std::ceil(plane.least_log); power <= plane.most_log; power += step) {
    svg += fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       plane.x(std::exp2(power)), Plane::kTop + Plane::kHeight + 18, bytes_text(std::exp2(power)));
  }
  return svg;
}

/// Bandwidth by the size of the call. Kernels that only move data have no other roof than the copy.
std::string roofline(const std::vector<BenchRow>& rows) {
  std::map<double, double> roof;
  Plane plane{1e9, -1e9, 1};
  std::map<std::string, std::size_t> colours;
  for (const BenchRow& row : rows) {
    if (!row.error.empty() || row.timing.useful_bytes == 0) continue;
    const auto bytes = static_cast<double>(row.timing.useful_bytes);
    plane.least_log = std::min(plane.least_log, std::log2(bytes) - 0.2);
    plane.most_log = std::max(plane.most_log, std::log2(bytes) + 0.2);
    plane.most_speed = std::max({plane.most_speed, row.gigabytes_per_second() * 1.05, ceiling_of(row) * 1.05});
    if (row.ceiling) roof[bytes] = ceiling_of(row);
    colours.emplace(row.op, colours.size());
  }
  if (colours.empty()) return {};
  std::string svg =
      fmt::format("<figure><svg width=\"960\" height=\"{}\" role=\"img\">\n{}",
                  Plane::kTop + Plane::kHeight + 30 + 18 * static_cast<double>(colours.size()), axes(plane));
  std::string line;
  for (const auto& [bytes, speed] : roof) line += fmt::format("{:.1f},{:.1f} ", plane.x(bytes), plane.y(speed));
  svg += fmt::format("<polyline class=\"top\" points=\"{}\"/>\n", line);
  for (const BenchRow& row : rows) {
    if (!row.error.empty() || row.timing.useful_bytes == 0) continue;
    svg += fmt::format(
        "<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"><title>{} {}: {} "
        "GB/s</title></circle>\n",
        plane.x(static_cast<double>(row.timing.useful_bytes)), plane.y(row.gigabytes_per_second()),
        colour(colours[row.op]), escaped(row.case_name), escaped(label_of(row)), row.gigabytes_per_second());
  }
  double y = Plane::kTop + Plane::kHeight + 40;
  for (const auto& [op, index] : colours) {
    svg += fmt::format("<circle cx=\"{}\" cy=\"{:.0f}\" r=\"5\" fill=\"{}\"/><text x=\"{}\" y=\"{:.0f}\">{}</text>\n",
                       Plane::kLeft + 6, y - 4, colour(index), Plane::kLeft + 18, y, escaped(op));
    y += 18;
  }
  return "<h2>Roofline</h2>\n" + svg +
         "</svg><figcaption>GB/s by useful bytes of a call; the red line is the copy ceiling.</figcaption></figure>\n";
}

using History = std::vector<std::pair<std::string, const BenchRow*>>;  ///< date, row

std::string sparkline(const History& history) {
  constexpr double kWidth = 220, kHeight = 36, kPad = 5;
  double most = 1;
  for (const auto& [date, row] : history) most = std::max(most, row->timing.call.median);
  std::string points, dots;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const double x = kPad + (kWidth - 2 * kPad) * static_cast<double>(i) / static_cast<double>(history.size() - 1);
    const double y = kHeight - kPad - (kHeight - 2 * kPad) * history[i].second->timing.call.median / most;
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"var(--s0)\"><title>{}: {}</title></circle>",
                        x, y, escaped(history[i].first), time_text(history[i].second->timing.call.median));
  }
  return fmt::format(
      "<svg width=\"{}\" height=\"{}\" role=\"img\"><polyline points=\"{}\" fill=\"none\" "
      "stroke=\"var(--s0)\"/>{}</svg>",
      kWidth, kHeight, points, dots);
}

bool same_call(const BenchRow& a, const BenchRow& b) {
  return a.op == b.op && a.case_name == b.case_name && a.variant == b.variant && a.tunables == b.tunables &&
         a.error.empty() && b.error.empty();
}

std::string history_section(const BenchReport& report, const std::vector<BenchReport>& earlier) {
  std::string rows;
  for (const BenchRow& row : report.rows) {
    History history;
    for (const BenchReport& old : earlier) {
      for (const BenchRow& other : old.rows) {
        if (same_call(row, other)) history.emplace_back(old.date, &other);
      }
    }
    if (history.empty()) continue;
    const double before = history.back().second->timing.call.median;
    history.emplace_back(report.date, &row);
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:+.1f}%</td><td>{}</td></tr>\n",
                        escaped(row.case_name), escaped(label_of(row)), time_text(before),
                        time_text(row.timing.call.median),
                        before > 0 ? 100 * (row.timing.call.median / before - 1) : 0.0, sparkline(history));
  }
  if (rows.empty()) return {};
  return "<h2>History</h2>\n<div class=\"wide\"><table><tr><th>case</th><th>variant</th><th>before</th><th>now</th>"
         "<th>change</th><th>times</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string figures(const Rows& rows) {
  std::string html =
      "<div class=\"wide\"><table><tr><th>case</th><th>variant</th><th>median</th><th>min</th><th>max</th>"
      "<th>samples</th><th>useful bytes</th><th>GB/s</th><th>copy GB/s</th><th>of copy</th><th>encode</th>"
      "<th>run</th></tr>\n";
  for (const BenchRow* row : rows) {
    html += fmt::format("<tr><td>{}</td><td>{}</td>", escaped(row->case_name), escaped(label_of(*row)));
    if (!row->error.empty()) {
      html += fmt::format("<td class=\"bad\" colspan=\"10\">{}</td></tr>\n", escaped(row->error));
      continue;
    }
    const BenchSample& call = row->timing.call;
    html += fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", time_text(call.median),
                        time_text(call.minimum), time_text(call.maximum), call.count, row->timing.useful_bytes,
                        speed_text(row->gigabytes_per_second()));
    html += row->ceiling ? fmt::format("<td>{}</td><td>{:.1f}%</td>", speed_text(ceiling_of(*row)), row->percent())
                         : std::string("<td></td><td></td>");
    html += fmt::format("<td>{}</td><td>{}</td></tr>\n",
                        row->timing.encode_ns > 0 ? time_text(row->timing.encode_ns) : std::string(),
                        row->timing.run_ns > 0 ? time_text(row->timing.run_ns) : std::string());
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string bench_html(const BenchReport& report, std::vector<BenchReport> earlier) {
  earlier.erase(std::remove_if(earlier.begin(), earlier.end(),
                               [&](const BenchReport& old) {
                                 return old.device != report.device || old.independent != report.independent;
                               }),
                earlier.end());
  std::stable_sort(earlier.begin(), earlier.end(),
                   [](const BenchReport& a, const BenchReport& b) { return a.date < b.date; });
  std::string html(kHead);
  html += fmt::format(
      "<h1>wgk bench</h1>\n<p>{} ({}, {}; {}), wgk {}, {}. {}</p>\n", escaped(report.device.value("name", "")),
      escaped(report.device.value("kind", "")), escaped(report.device.value("backend", "")),
      escaped(report.device.value("driver", "")), version_string(), escaped(report.date),
      report.independent ? "Calls are independent of each other." : "Each call waits for the one before it.");
  for (std::size_t first = 0; first < report.rows.size();) {
    const std::string& op = report.rows[first].op;
    Rows rows;
    while (first < report.rows.size() && report.rows[first].op == op) rows.push_back(&report.rows[first++]);
    html += fmt::format("<h2>{}</h2>\n{}{}", escaped(op), bar_chart(rows), figures(rows));
  }
  html += roofline(report.rows);
  html += history_section(report, earlier);
  return html + "</body>\n</html>\n";
}

}  // namespace wgk::cli
