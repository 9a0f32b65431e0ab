// wgk verify: checks packages for their authors.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/verify.hpp>

#include "cli.h"
#include "package_flags.h"

namespace wgk::cli {
namespace {

struct Options {
  std::vector<std::string> packages;
  bool no_device = false;
  bool strict = false;
  bool json = false;
  DeviceFlags device;
  PackageFlags source;
};

bool is_error(const Finding& finding) { return finding.severity == Finding::Severity::kError; }

/// Further lines of a message stand below its first one.
std::string indented(const std::string& text, std::size_t columns) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(columns, ' ');
  }
  return out;
}

std::string count_text(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string report_text(const VerifyReport& report, const std::optional<Device>& device) {
  std::string out = report.op.empty() ? report.location : fmt::format("{} ({})", report.op, report.location);
  if (!report.op.empty()) {
    out += fmt::format(": {}, {}, {}", count_text(report.variants, "variant"), count_text(report.cases, "test case"),
                       count_text(report.plans, "plan"));
    out += device ? fmt::format(", {} compiled on {}", count_text(report.shaders, "shader"), device_text(*device))
                  : ", no shader compiled";
  }
  out += "\n";
  for (const Finding& finding : report.findings) {
    out += fmt::format("  {:<7} {:<10} {}\n", is_error(finding) ? "error" : "warning", finding.check,
                       indented(finding.message, 21));
  }
  return out +
         fmt::format("  {}, {}\n", count_text(report.errors(), "error"), count_text(report.warnings(), "warning"));
}

std::string finding_json(const Finding& finding) {
  return fmt::format("{{\"severity\":\"{}\",\"check\":\"{}\",\"message\":{}}}", is_error(finding) ? "error" : "warning",
                     finding.check, json_string(finding.message));
}

std::string report_json(const VerifyReport& report) {
  std::string out = fmt::format(
      "{{\"package\":{},\"op\":{},\"loaded\":{},\"errors\":{},\"warnings\":{},\"variants\":{},\"cases\":{},\"plans\":{}"
      ","
      "\"shaders\":{},\"findings\":[",
      json_string(report.location), json_string(report.op), report.loaded, report.errors(), report.warnings(),
      report.variants, report.cases, report.plans, report.shaders);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    out += (i == 0 ? "" : ",") + finding_json(report.findings[i]);
  }
  return out + "]}";
}

std::string reports_json(const std::vector<VerifyReport>& reports, const std::optional<Device>& device) {
  std::string out = fmt::format("{{\"device\":{},\"packages\":[", device ? device_json(*device) : "null");
  for (std::size_t i = 0; i < reports.size(); ++i) out += (i == 0 ? "" : ",") + report_json(reports[i]);
  return out + "]}\n";
}

/// 3 when a package does not load, else 1 when a check failed.
int verdict(const std::vector<VerifyReport>& reports, bool strict) {
  int code = kExitOk;
  for (const VerifyReport& report : reports) {
    if (!report.loaded) return exit_code(ErrorCode::kPackage);
    if (report.errors() > 0 || (strict && report.warnings() > 0)) code = kExitCheckFailed;
  }
  return code;
}

/// The folders of packages of the Hub; other locations as they are.
Result<std::vector<std::string>> locate_all(const Options& options) {
  std::vector<std::string> locations;
  for (const std::string& package : options.packages) {
    auto location = options.source.locate(package);
    if (!location) return location.error();
    locations.push_back(*std::move(location));
  }
  return locations;
}

int run(const Options& options) {
  const auto locations = locate_all(options);
  if (!locations) return report(locations.error(), options.json);
  std::optional<Watchdog> watchdog;  // for the adapter only: planning ends by itself
  std::optional<Device> device;
  if (!options.no_device && options.device.kind != "cpu") {
    watchdog.emplace(options.device.timeout_seconds, options.json);
    auto opened = options.device.open();
    if (!opened) return report(opened.error(), options.json);
    if (opened->kind() == DeviceKind::kCpu) {
      note("there is no adapter, so shaders are not compiled (--no-device says that this is meant)");
    } else {
      device = *std::move(opened);
      watchdog->limit_memory(0);  // shaders are compiled, not run
    }
  }
  const auto restart = [&watchdog, &device] {
    if (!watchdog) return;
    watchdog->restart();
    // Pipelines of earlier cases stay: the bound is on what one case adds.
    if (device) watchdog->limit_memory(0);
  };
  std::vector<VerifyReport> reports;
  std::string text;
  for (const std::string& location : *locations) {
    restart();
    reports.push_back(verify_package(location, device ? &*device : nullptr, restart));
    text += report_text(reports.back(), device);
  }
  if (watchdog) watchdog->stop();
  if (!write_stdout(options.json ? reports_json(reports, device) : text)) return kExitUsage;
  return verdict(reports, options.strict);
}

}  // namespace

void add_verify(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "Check packages: digests, manifest, expressions, templates, shaders");
  command->add_option("PACKAGE", options->packages, kPackagesHelp)->required();
  options->source.add_to(*command);
  command->add_flag("--no-device", options->no_device, "Render the shaders without compiling them");
  command->add_flag("--strict", options->strict, "Warnings fail too");
  options->device.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit codes: 0 right, 1 a check failed, 3 a package does not load.\n"
      "Example:\n  wgk verify kernels/ai.onnx.RotaryEmbedding --device software --strict");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
