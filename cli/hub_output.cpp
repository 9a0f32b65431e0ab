// Progress, sizes, and cached packages as JSON.
#include "hub_output.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "cli.h"

namespace wgk::cli {
namespace {

bool wants_progress() {
  const char* disabled = std::getenv("HF_HUB_DISABLE_PROGRESS_BARS");
  const bool off = disabled != nullptr && *disabled != '\0' && std::string(disabled) != "0";
  return !off && ::isatty(STDERR_FILENO) == 1;
}

void say(const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

}  // namespace

ProgressLine::ProgressLine(bool quiet) : active_(!quiet && wants_progress()) {}

std::function<void(const FetchProgress&)> ProgressLine::callback() {
  if (!active_) return {};
  return [this](const FetchProgress& progress) { show(progress); };
}

void ProgressLine::show(const FetchProgress& progress) {
  const std::string files = progress.files_total == 0
                                ? std::string()
                                : fmt::format("{}/{} files, ", progress.files_done, progress.files_total);
  say(fmt::format("\r\x1b[K{}: {}{} {}", progress.reference, files, size_text(progress.bytes), progress.file));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) say("\r\x1b[K");
  shown_ = false;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? fmt::format("{:.1f} KiB", kib) : fmt::format("{:.1f} MiB", kib / 1024);
}

std::string cached_json(const CachedPackage& package) {
  std::string branches;
  for (const std::string& branch : package.branches) branches += (branches.empty() ? "" : ",") + json_string(branch);
  return fmt::format("\"repository\":{},\"revision\":{},\"branches\":[{}],\"folder\":{},\"files\":{},\"bytes\":{}",
                     json_string(package.owner + "/" + package.name), json_string(package.revision), branches,
                     json_string(package.folder), package.files, package.bytes);
}

}  // namespace wgk::cli
