// wgk fetch: packages of the Hub into the cache.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/hub.hpp>

#include "cli.h"
#include "hub_output.h"
#include "package_flags.h"

namespace wgk::cli {
namespace {

struct Options {
  std::vector<std::string> references;
  bool locked = false;
  bool verbose = false;
  bool json = false;
  PackageFlags package;
};

std::string fetched_json(const FetchedPackage& fetched) {
  return fmt::format("{{\"reference\":{},{},\"downloaded\":{},\"bytesReceived\":{}}}",
                     json_string(fetched.reference.text()), cached_json(fetched.package), fetched.downloaded,
                     fetched.bytes_received);
}

std::string fetched_text(const FetchedPackage& fetched) {
  const std::string what =
      fetched.downloaded ? fmt::format("downloaded {}", size_text(fetched.bytes_received)) : "is in the cache already";
  return fmt::format("{}: {} (revision {})\n  {}\n", fetched.reference.text(), what, fetched.package.revision,
                     fetched.package.folder);
}

/// The references to fetch: those that are named, or all of the lock file.
Result<std::vector<PackageReference>> wanted(const Options& options, const HubOptions& hub) {
  std::vector<PackageReference> out;
  for (const std::string& text : options.references) {
    auto reference = parse_reference(text, {options.package.version, options.package.revision});
    if (!reference) return reference.error();
    out.push_back(*std::move(reference));
  }
  if (!out.empty()) return out;
  if (!options.locked) {
    return Error{ErrorCode::kUsage,
                 "name a package, for example webgpu-kernels/ai.onnx.RotaryEmbedding@v1, or take "
                 "those of the lock file with --locked"};
  }
  const auto lock = PackageLock::read(hub.lock_file);
  if (!lock) return lock.error();
  for (const auto& [text, entry] : lock->packages) {
    const std::size_t at = text.find('@');
    auto reference = parse_reference(text.substr(0, at), {0, text.substr(at + 1)});
    if (!reference) return reference.error();
    out.push_back(*std::move(reference));
  }
  return out;
}

/// A fetch moves branches on, so the lock file counts only where it is asked for.
HubOptions hub_options(const Options& options) {
  PackageFlags flags = options.package;
  if (!options.locked && flags.lock.empty()) flags.no_lock = true;
  HubOptions hub = flags.hub_options();
  if (options.locked && hub.lock_file.empty()) {
    const char* named = std::getenv("WGK_LOCK");
    hub.lock_file = named != nullptr && *named != '\0' ? named : kLockName;
  }
  if (options.verbose) hub.log = [](std::string_view line) { note(line); };
  return hub;
}

int run(const Options& options) {
  HubOptions hub = hub_options(options);
  ProgressLine progress(options.verbose);
  hub.progress = progress.callback();
  const auto references = wanted(options, hub);
  if (!references) return report(references.error(), options.json);
  std::string text;
  std::string json;
  for (const PackageReference& reference : *references) {
    const auto fetched = fetch_package(reference, hub);
    progress.clear();
    if (!fetched) return report(fetched.error(), options.json);
    text += fetched_text(*fetched);
    json += (json.empty() ? "" : ",") + fetched_json(*fetched);
  }
  return write_stdout(options.json ? fmt::format("{{\"packages\":[{}]}}\n", json) : text) ? kExitOk : kExitUsage;
}

}  // namespace

void add_fetch(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("fetch", "Download packages of the Hub into the cache, or bring them up to date");
  command->add_option("REF", options->references, "owner/name@vN or owner/name@COMMIT");
  options->package.add_to(*command);
  command->add_flag("--locked", options->locked, "Exactly what the lock file says; without REF, all of it");
  command->add_flag("--verbose", options->verbose, "Print every request on standard error");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n  wgk fetch webgpu-kernels/ai.onnx.RotaryEmbedding@v1\n  wgk fetch --locked --offline   # is all "
      "there?");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
