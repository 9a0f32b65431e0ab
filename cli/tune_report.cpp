// Table, JSON and manifest patch of `wgk tune`.
#include "tune_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "attribute_text.h"
#include "bench_report.h"

namespace wgk::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string change_text(const TuneRow& row) {
  std::string text;
  if (!row.entry.variant.empty()) text = "variant " + row.entry.variant;
  const std::string values = values_text(row.entry.tunables);
  if (!values.empty()) text += (text.empty() ? "" : ", ") + values;
  if (text.empty()) text = "as it is";
  return text + fmt::format(" ({} tried{})", row.outcome.tried, row.outcome.complete ? "" : ", time ran out");
}

double gain_percent(const TuneRow& row) {
  return row.outcome.default_ns > 0 ? 100 * (1 - row.outcome.best_ns / row.outcome.default_ns) : 0;
}

std::string package_text(const std::vector<const TuneRow*>& rows) {
  std::size_t width = 4;
  for (const TuneRow* row : rows) width = std::max(width, row->case_name.size());
  std::string text = fmt::format("  {:<{}}  {:>10}  {:>10}  {:>6}  change\n", "case", width, "default", "best", "gain");
  for (const TuneRow* row : rows) {
    if (!row->error.empty()) {
      text += fmt::format("  {:<{}}  {}\n", row->case_name, width, row->error);
      continue;
    }
    text += fmt::format("  {:<{}}  {:>10}  {:>10}  {:>5.1f}%  {}\n", row->case_name, width,
                        time_text(row->outcome.default_ns), time_text(row->outcome.best_ns), gain_percent(*row),
                        change_text(*row));
  }
  return text;
}

}  // namespace

std::string values_text(const Attributes& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, attribute_text(value));
  }
  return text;
}

std::string tune_text(const TuneReport& report) {
  std::string text = fmt::format("on {}\n", report.device);
  for (auto first = report.rows.begin(); first != report.rows.end();) {
    std::vector<const TuneRow*> rows;
    const std::string& op = first->op;
    for (; first != report.rows.end() && first->op == op; ++first) rows.push_back(&*first);
    text += fmt::format("\n{}\n{}", op, package_text(rows));
  }
  for (const auto& [op, patch] : report.patches) {
    text += fmt::format("\npatch of build/webgpu/manifest.json, {}:\n{}\n", op, patch.dump(1));
  }
  text += report.file.empty() ? std::string("\nnothing was written\n") : fmt::format("\nwrote {}\n", report.file);
  return text;
}

std::string tune_json(const TuneReport& report) {
  Json json{{"device", report.device}, {"file", report.file.empty() ? Json() : Json(report.file)}};
  json["results"] = Json::array();
  for (const TuneRow& row : report.rows) {
    Json one{{"op", row.op}, {"case", row.case_name}};
    if (row.error.empty()) {
      one["variant"] = row.outcome.candidate.variant;
      one["tunables"] = attributes_json(row.entry.tunables);
      one["changed"] = !row.entry.variant.empty() || !row.entry.tunables.empty();
      one["defaultNs"] = row.outcome.default_ns;
      one["bestNs"] = row.outcome.best_ns;
      one["tried"] = row.outcome.tried;
      one["complete"] = row.outcome.complete;
    } else {
      one["error"] = row.error;
    }
    json["results"].push_back(std::move(one));
  }
  if (!report.patches.empty()) {
    json["patches"] = Json::object();
    for (const auto& [op, patch] : report.patches) json["patches"][op] = patch;
  }
  return json.dump(1) + "\n";
}

Json tunable_patch(const Attributes& declared, bool bare, const std::vector<TuneRow>& rows) {
  Json patch = Json::array();
  for (const auto& [name, given] : declared) {
    std::map<std::string, std::pair<std::size_t, AttributeValue>> votes;
    for (const TuneRow& row : rows) {
      if (!row.error.empty()) continue;
      const auto set = row.entry.tunables.find(name);
      const AttributeValue& value = set == row.entry.tunables.end() ? given : set->second;
      ++votes.try_emplace(attribute_text(value), 0, value).first->second.first;
    }
    const auto most = std::max_element(votes.begin(), votes.end(),
                                       [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    const auto kept = votes.find(attribute_text(given));
    const std::size_t keeping = kept == votes.end() ? 0 : kept->second.first;
    if (most == votes.end() || most->second.first <= keeping) continue;
    std::string path = "/tunables/";
    for (const char c : name) path += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    patch.push_back(
        {{"op", "replace"}, {"path", bare ? path : path + "/default"}, {"value", attribute_json(most->second.second)}});
  }
  return patch;
}

Json manifest_patch(const Package& package, const std::vector<TuneRow>& rows) {
  const Json contract = Json::parse(package.contract_json());
  return tunable_patch(attributes_from(contract.at("tunables")), contract.at("spec") == "1.0", rows);
}

}  // namespace wgk::cli
