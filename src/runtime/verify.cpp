// wgk::verify_package: the order of the checks, and what a failed one leaves to check.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>
#include <wgk/verify.hpp>

#include "package/load.h"
#include "package/locate.h"
#include "package/node.h"
#include "package/sources.h"
#include "runtime/verify_parts.h"

namespace wgk::runtime {

namespace {

constexpr std::size_t kMaxPerCheck = 100;

using Severity = Finding::Severity;

std::optional<package::Metadata> read_metadata(const std::filesystem::path& root, const std::string& where,
                                               Findings& findings) {
  const auto text = package::read_contained(root, "metadata.json", limits::kMaxMetadataBytes);
  if (!text) {
    findings.error("metadata", text.error().message + "; run wgk pack");
    return std::nullopt;
  }
  auto metadata = package::parse_metadata(*text, where);
  if (metadata) return *std::move(metadata);
  findings.error("metadata", metadata.error().message);
  return std::nullopt;
}

/// The package as the loader takes it, digests aside: those are reported file by file. Where the loader refuses it, the
/// contents alone, so that the other checks still find what they can.
std::optional<Package> load(const std::string& location, const PackageText& text, VerifyReport& report,
                            Findings& findings) {
  LoadOptions options;
  options.verify_digests = false;
  options.require_all_templates = false;
  auto package = Package::load(location, options);
  if (package) {
    report.loaded = true;
    return *std::move(package);
  }
  const std::string message = package.error().message;
  const auto manifest = text.files.find("manifest.json");
  if (manifest == text.files.end()) {
    findings.error("load", message);
    return std::nullopt;
  }
  auto contents = Package::from_memory(text.files, location);
  if (!contents) {
    verify_manifest(manifest->second, findings);
    if (report.errors() == 0) findings.error("load", message);
    return std::nullopt;
  }
  if (report.errors() == 0 || message.find("metadata") != std::string::npos) findings.error("load", message);
  return *std::move(contents);
}

std::optional<package::TestFile> read_tests(const PackageText& text, Findings& findings) {
  const auto file = text.files.find("test.json");
  if (file == text.files.end()) {
    findings.warning("test", "there is no test.json: nothing was planned, rendered or compiled");
    return std::nullopt;
  }
  if (file->second.size() > limits::kMaxTestFileBytes) return std::nullopt;
  auto tests = package::parse_test_file(file->second);
  if (!tests) {
    findings.error("test", tests.error().message);
    return std::nullopt;
  }
  for (const std::string& warning : tests->warnings) findings.warning("test", warning);
  if (tests->cases.empty()) findings.warning("test", "test.json has no cases: nothing was planned");
  return *std::move(tests);
}

void verify_loaded(const Package& package, const PackageText& text, const Device* device,
                   const std::function<void()>& progress, VerifyReport& report, Findings& findings) {
  const package::LoadedPackage& loaded = *package.impl();
  report.op = package.op();
  report.variants = loaded.manifest.variants.size();
  for (const std::string& warning : package.warnings()) findings.warning("load", warning);
  verify_expressions(loaded, findings);
  for (const auto& [shader, lazy] : loaded.templates) {
    if (const auto& parsed = lazy.parsed(); !parsed.ok()) findings.error("render", parsed.error().message);
  }
  verify_unused(loaded, text, findings);
  if (const auto tests = read_tests(text, findings)) verify_cases(package, *tests, device, progress, report, findings);
}

}  // namespace

void Findings::error(std::string_view check, std::string message) { add(Severity::kError, check, std::move(message)); }

void Findings::warning(std::string_view check, std::string message) {
  add(Severity::kWarning, check, std::move(message));
}

void Findings::add(Severity severity, std::string_view check, std::string message) {
  std::size_t& count = counts_[std::string(check) + (severity == Severity::kError ? "!" : "?")];
  if (count > kMaxPerCheck) return;
  if (count == kMaxPerCheck) message = "more of these are not shown";
  Finding finding{severity, std::string(check), std::move(message)};
  if (std::find(findings_.begin(), findings_.end(), finding) != findings_.end()) return;
  ++count;
  findings_.push_back(std::move(finding));
}

}  // namespace wgk::runtime

namespace wgk::inline v0 {

std::size_t VerifyReport::errors() const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Finding::Severity::kError;
  }));
}

std::size_t VerifyReport::warnings() const { return findings.size() - errors(); }

VerifyReport verify_package(std::string_view location, const Device* device, const std::function<void()>& progress) {
  VerifyReport report;
  report.location = location;
  runtime::Findings findings(report.findings);
  const auto located = package::locate(location);
  if (!located) {
    findings.error("load", located.error().message);
    return report;
  }
  const auto metadata = runtime::read_metadata(located->folder, report.location, findings);
  const auto text = runtime::verify_files(located->folder, metadata ? &*metadata : nullptr, findings);
  const auto package = runtime::load(report.location, text, report, findings);
  if (!package) return report;
  if (metadata) runtime::verify_metadata_variants(*package->impl(), *metadata, text, findings);
  runtime::verify_loaded(*package, text, device, progress, report, findings);
  return report;
}

}  // namespace wgk::inline v0
