// Sections with aligned columns. A section without entries is left out.
#include "inspect_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace wgk::cli {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string joined(const Json& list) {
  std::string out;
  for (const Json& item : list) {
    out += (out.empty() ? "" : ", ") +
           (item.is_string() ? item.get<std::string>() : item.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return out;
}

/// Characters, so that columns with other than ASCII letters stay aligned.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

constexpr std::size_t kTextWidth = 92;

/// `text` in lines of at most kTextWidth characters, six spaces in. A longer word has a line of its own.
std::string paragraph(const std::string& text) {
  std::string out;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && width(line) + 1 + width(word) > kTextWidth) {
      out += "      " + line + "\n";
      line.clear();
    }
    if (!word.empty()) line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + "      " + line + "\n";
}

/// Rows below each other, two spaces in, each with its description: the last cell, in lines of its own.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size() - 1));
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      if (widths[i] == 0) continue;
      line += " " + row[i] + std::string(widths[i] - width(row[i]) + 1, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n" + paragraph(row.back());
  }
  return out;
}

std::string section(std::string_view title, const std::vector<Row>& rows) {
  return rows.empty() ? std::string() : fmt::format("\n{}\n{}", title, table(rows));
}

std::vector<Row> port_rows(const Json& ports) {
  std::vector<Row> rows;
  for (const Json& port : ports) {
    std::string dtype = port.contains("dtype") ? text_of(port, "dtype") : "float32";
    if (port.contains("storage")) dtype += fmt::format(" stored as {}", text_of(port, "storage"));
    if (port.contains("narrowing")) dtype += fmt::format(" ({})", text_of(port, "narrowing"));
    if (port.contains("layout")) dtype += " packed";
    std::string presence;
    if (port.value("optional", false)) presence = "optional";
    if (text_of(port, "direction") == "inout") presence += presence.empty() ? "in place" : ", in place";
    const std::string onnx = text_of(port, "onnx");
    const std::string shape = port.contains("shape")  ? "shape " + text_of(port, "shape")
                              : port.contains("rank") ? "rank " + text_of(port, "rank")
                                                      : "";
    rows.push_back({text_of(port, "key"), onnx == text_of(port, "key") ? "" : onnx, dtype, shape, presence,
                    text_of(port, "description")});
  }
  return rows;
}

std::vector<Row> argument_rows(const Json& arguments) {
  std::vector<Row> rows;
  for (const Json& argument : arguments) {
    std::string kind = text_of(argument, "kind");
    if (const auto one_of = argument.find("oneOf"); one_of != argument.end() && !one_of->empty()) {
      kind += fmt::format(", one of {}", joined(*one_of));
    }
    rows.push_back({text_of(argument, "name"), kind, argument.value("required", false) ? "required" : "optional",
                    text_of(argument, "description")});
  }
  return rows;
}

std::vector<Row> attribute_rows(const Json& attributes) {
  std::vector<Row> rows;
  for (const Json& attribute : attributes) {
    std::string state = attribute.value("required", false) ? "required" : "no default";
    if (attribute.contains("default")) state = "default " + text_of(attribute, "default");
    const auto values = attribute.find("values");
    rows.push_back({text_of(attribute, "name"), state,
                    values != attribute.end() && !values->empty() ? "one of " + joined(*values) : "",
                    text_of(attribute, "description")});
  }
  return rows;
}

std::vector<Row> map_rows(const Json& map) {
  std::vector<Row> rows;
  for (const auto& [name, value] : map.items()) {
    rows.push_back({name, value.is_array() ? joined(value) : text_of(map, name.c_str()), ""});
  }
  return rows;
}

std::string needs_text(const Json& needs) {
  std::string out = joined(needs.value("features", Json::array()));
  const Json limits = needs.value("limits", Json::object());
  for (const auto& [limit, value] : limits.items()) {
    out += fmt::format("{}{} >= {}", out.empty() ? "" : ", ", limit, value.dump());
  }
  if (needs.contains("subgroupMinSize")) {
    out += fmt::format("{}subgroups of {} or more", out.empty() ? "" : ", ", text_of(needs, "subgroupMinSize"));
  }
  return out;
}

std::string variants_text(const Json& variants) {
  std::string out = "\nVariants, in the order of the manifest; the highest priority that fits is taken\n";
  for (const Json& variant : variants) {
    out += fmt::format("  {} (priority {}{})\n", text_of(variant, "id"), variant.value("priority", 0.0),
                       variant.value("default", false) ? ", default" : "");
    const auto line = [&out](std::string_view name, const std::string& text) {
      if (!text.empty()) out += fmt::format("    {:<10} {}\n", name, text);
    };
    if (const std::string about = text_of(variant, "description"); !about.empty())
      out += fmt::format("    {}\n", about);
    line("unusable", text_of(variant, "unusable"));
    line("requires", needs_text(variant.value("requires", Json::object())));
    const Json when = variant.value("when", Json::array());
    const Json demote_when = variant.value("demoteWhen", Json::array());
    for (const Json& clause : when) line("when", clause.get<std::string>());
    line("and when", text_of(variant, "selectAbove"));
    for (const Json& clause : demote_when) line("last if", clause.get<std::string>());
    line("templates", joined(variant.value("templates", Json::array())));
  }
  return out;
}

}  // namespace

std::string contract_text(const Json& contract) {
  std::string out = fmt::format("{} (manifest {}", text_of(contract, "op"), text_of(contract, "spec"));
  if (contract.contains("version")) out += ", version " + text_of(contract, "version");
  if (contract.contains("sinceVersion")) out += ", since version " + text_of(contract, "sinceVersion");
  if (!text_of(contract, "license").empty()) out += ", " + text_of(contract, "license");
  out += ")\n";
  if (const std::string description = text_of(contract, "description"); !description.empty()) out += description + "\n";
  out += section("Inputs", port_rows(contract.value("inputs", Json::array())));
  out += section("Outputs", port_rows(contract.value("outputs", Json::array())));
  out += section("Scalar arguments", argument_rows(contract.value("args", Json::array())));
  out += section("Attributes", attribute_rows(contract.value("attributes", Json::array())));
  out += section("Type variables", map_rows(contract.value("typeConstraints", Json::object())));
  out += section("Tunables", map_rows(contract.value("tunables", Json::object())));
  return out + variants_text(contract.value("variants", Json::array()));
}

}  // namespace wgk::cli
