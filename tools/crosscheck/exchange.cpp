// Writing cases and reading outcomes.
#include "exchange.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/try.h"

namespace wgk::crosscheck {
namespace {

using Json = nlohmann::ordered_json;

std::string to_hex(const std::vector<std::byte>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  return std::nullopt;
}

std::optional<std::vector<std::byte>> from_hex(const std::string& text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = hex_digit(text[i]);
    const auto low = hex_digit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(*high << 4U | *low));
  }
  return bytes;
}

Error bad_line(std::size_t number, const std::string& reason) {
  return Error{ErrorCode::kUsage, fmt::format("results, line {}: {}", number, reason)};
}

Result<PlanOutcome> read_outcome(const Json& line, std::size_t number) {
  PlanOutcome outcome;
  if (const auto error = line.find("error"); error != line.end()) {
    if (!error->is_string() || error->get_ref<const std::string&>().empty()) {
      return bad_line(number, "\"error\" is not a text");
    }
    outcome.error = error->get<std::string>();
    return outcome;
  }
  const auto outputs = line.find("outputs");
  if (outputs == line.end() || !outputs->is_object()) return bad_line(number, "neither \"error\" nor \"outputs\"");
  for (const auto& [key, value] : outputs->items()) {
    auto bytes = value.is_string() ? from_hex(value.get<std::string>()) : std::nullopt;
    if (!bytes) return bad_line(number, fmt::format("output {} is not hexadecimal", key));
    outcome.outputs.emplace(key, *std::move(bytes));
  }
  return outcome;
}

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

/// In JSON a line feed is white space: those of texts are escaped.
std::string one_line(const Plan& plan) {
  std::string json = plan.to_json();
  json.erase(std::remove(json.begin(), json.end(), '\n'), json.end());
  return json;
}

}  // namespace

std::string case_line(const std::string& id, const PlannedCase& planned) {
  std::string line = fmt::format("{{\"id\": {}, \"plan\": {}, \"inputs\": {{", quoted(id), one_line(planned.plan));
  const char* comma = "";
  for (const auto& [key, bytes] : planned.inputs) {
    line += fmt::format("{}{}: \"{}\"", comma, quoted(key), to_hex(bytes));
    comma = ", ";
  }
  return line + "}}\n";
}

Result<std::map<std::string, PlanOutcome>> read_outcomes(const std::string& text) {
  std::map<std::string, PlanOutcome> outcomes;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("id") || !json["id"].is_string()) {
      return bad_line(number, "not an object with an \"id\"");
    }
    WGK_TRY(PlanOutcome outcome, read_outcome(json, number));
    const auto id = json["id"].get<std::string>();
    if (!outcomes.emplace(id, std::move(outcome)).second) return bad_line(number, fmt::format("{} comes twice", id));
  }
  return outcomes;
}

}  // namespace wgk::crosscheck
