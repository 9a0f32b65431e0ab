// wgk lock: writes down what references mean now.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/hub.hpp>

#include "cli.h"
#include "hub_output.h"
#include "package_flags.h"
#include "write_file.h"

namespace wgk::cli {
namespace {

struct Options {
  std::vector<std::string> references;
  bool check = false;
  bool json = false;
  PackageFlags package;
};

std::string lock_path(const PackageFlags& flags) {
  if (!flags.lock.empty()) return flags.lock;
  const char* named = std::getenv("WGK_LOCK");
  return named != nullptr && *named != '\0' ? named : kLockName;
}

/// The lock file that is there; an empty one where none is.
Result<PackageLock> old_lock(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return PackageLock{};
  return PackageLock::read(file);
}

Result<std::vector<PackageReference>> wanted(const Options& options, const PackageLock& old) {
  std::vector<PackageReference> out;
  for (const std::string& text : options.references) {
    auto reference = parse_reference(text, {options.package.version, options.package.revision});
    if (!reference) return reference.error();
    out.push_back(*std::move(reference));
  }
  if (!out.empty()) return out;
  for (const auto& [text, entry] : old.packages) {
    const std::size_t at = text.find('@');
    auto reference = parse_reference(text.substr(0, at), {0, text.substr(at + 1)});
    if (!reference) return reference.error();
    out.push_back(*std::move(reference));
  }
  if (!out.empty()) return out;
  return Error{ErrorCode::kUsage, "name a package, for example webgpu-kernels/ai.onnx.RotaryEmbedding@v1"};
}

std::string change_text(const std::string& reference, const LockedPackage* before, const LockedPackage& now) {
  if (before == nullptr) return fmt::format("{}: added at revision {}\n", reference, now.revision);
  if (*before == now) return fmt::format("{}: unchanged at revision {}\n", reference, now.revision);
  return fmt::format("{}: moved from revision {} to {}\n", reference, before->revision, now.revision);
}

std::string entry_json(const std::string& reference, const LockedPackage* before, const LockedPackage& now) {
  return fmt::format("{{\"reference\":{},\"revision\":{},\"changed\":{}}}", json_string(reference),
                     json_string(now.revision), before == nullptr || !(*before == now));
}

int run(const Options& options) {
  const std::string file = lock_path(options.package);
  const auto old = old_lock(file);
  if (!old) return report(old.error(), options.json);
  const auto references = wanted(options, *old);
  if (!references) return report(references.error(), options.json);
  PackageFlags flags = options.package;
  flags.lock.clear();
  flags.no_lock = true;  // what is asked is what the Hub says now
  HubOptions hub = flags.hub_options();
  ProgressLine progress(false);
  hub.progress = progress.callback();
  PackageLock lock = *old;
  std::string text;
  std::string json;
  for (const PackageReference& reference : *references) {
    const auto fetched = fetch_package(reference, hub);
    progress.clear();
    if (!fetched) return report(fetched.error(), options.json);
    const LockedPackage now{fetched->package.revision, fetched->package.digests};
    const auto before = old->packages.find(reference.text());
    const LockedPackage* entry = before == old->packages.end() ? nullptr : &before->second;
    text += change_text(reference.text(), entry, now);
    json += (json.empty() ? "" : ",") + entry_json(reference.text(), entry, now);
    lock.packages[reference.text()] = now;
  }
  const bool changed = lock.packages != old->packages;
  if (changed && !options.check) {
    if (const Status status = write_file(lock.to_json(), file); !status) return report(status.error(), options.json);
  }
  const std::string out =
      options.json ? fmt::format("{{\"file\":{},\"changed\":{},\"packages\":[{}]}}\n", json_string(file), changed, json)
                   : text;
  if (!write_stdout(out)) return kExitUsage;
  return options.check && changed ? kExitCheckFailed : kExitOk;
}

}  // namespace

void add_lock(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("lock", "Write the revisions and digests of packages of the Hub into wgk.lock");
  command->add_option("REF", options->references, "Packages to add or move on; default: all that are in the file");
  options->package.add_to(*command);
  command->add_flag("--check", options->check, "Write nothing; exit code 1 if the file would change");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  wgk lock webgpu-kernels/ai.onnx.RotaryEmbedding@v1");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
