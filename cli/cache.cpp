// wgk cache: what is in the cache, whether it is right, and removing what nobody needs.
#include <functional>
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
  bool unreferenced = false;
  bool dry_run = false;
  bool json = false;
  PackageFlags package;  ///< of prune: the lock file
};

std::string package_text(const CachedPackage& package) {
  std::string branches;
  for (const std::string& branch : package.branches) branches += (branches.empty() ? "" : ", ") + branch;
  return fmt::format("{}/{}  {}  {}  {} files, {}\n", package.owner, package.name, package.revision,
                     branches.empty() ? "-" : branches, package.files, size_text(package.bytes));
}

int list(const Options& options) {
  const auto packages = list_cache();
  if (!packages) return report(packages.error(), options.json);
  std::string text;
  std::string json;
  for (const CachedPackage& package : *packages) {
    text += package_text(package);
    json += fmt::format("{}{{{}}}", json.empty() ? "" : ",", cached_json(package));
  }
  if (packages->empty()) note("the cache has no packages");
  return write_stdout(options.json ? fmt::format("{{\"packages\":[{}]}}\n", json) : text) ? kExitOk : kExitUsage;
}

int verify(const Options& options) {
  const auto packages = verify_cache();
  if (!packages) return report(packages.error(), options.json);
  std::string text;
  std::string json;
  bool broken = false;
  for (const CachedPackage& package : *packages) {
    std::string problems;
    text += fmt::format("{}/{}  {}  {}\n", package.owner, package.name, package.revision,
                        package.problems.empty() ? "right" : "broken");
    for (const std::string& problem : package.problems) {
      text += fmt::format("  {}\n", problem);
      problems += (problems.empty() ? "" : ",") + json_string(problem);
    }
    broken = broken || !package.problems.empty();
    json += fmt::format("{}{{{},\"problems\":[{}]}}", json.empty() ? "" : ",", cached_json(package), problems);
  }
  if (broken) note("wgk fetch repairs a package, wgk cache prune removes the broken ones");
  if (!write_stdout(options.json ? fmt::format("{{\"packages\":[{}]}}\n", json) : text)) return kExitUsage;
  return broken ? kExitCheckFailed : kExitOk;
}

int prune(const Options& options) {
  const auto pruned = prune_cache({options.unreferenced, options.dry_run}, options.package.hub_options());
  if (!pruned) return report(pruned.error(), options.json);
  std::string text;
  std::string json;
  std::uint64_t bytes = 0;
  for (const Pruned& item : *pruned) {
    bytes += item.bytes;
    text += fmt::format("{}: {}\n", item.path, item.reason);
    json += fmt::format("{}{{\"path\":{},\"reason\":{},\"bytes\":{}}}", json.empty() ? "" : ",", json_string(item.path),
                        json_string(item.reason), item.bytes);
  }
  text += fmt::format("{} {}, {}\n", options.dry_run ? "would remove" : "removed", pruned->size(), size_text(bytes));
  return write_stdout(options.json ? fmt::format("{{\"dryRun\":{},\"removed\":[{}]}}\n", options.dry_run, json) : text)
             ? kExitOk
             : kExitUsage;
}

CLI::App* add_action(CLI::App& cache, const std::string& name, const std::string& help, int (*action)(const Options&),
                     const std::shared_ptr<Options>& options, int& exit) {
  CLI::App* command = cache.add_subcommand(name, help);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(fmt::format("Example:\n  wgk cache {}", name));
  command->callback([options, action, &exit] { exit = action(*options); });
  return command;
}

}  // namespace

void add_cache(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* cache = app.add_subcommand("cache", "List, verify and prune the packages of the Hub on this machine");
  cache->require_subcommand(1);
  cache->footer("Example:\n  wgk cache list --json");
  add_action(*cache, "list", "List the packages", &list, options, exit);
  add_action(*cache, "verify", "Compare every file with its digest; exit code 1 if one differs", &verify, options,
             exit);
  CLI::App* command =
      add_action(*cache, "prune", "Remove broken revisions and what no revision refers to", &prune, options, exit);
  command->add_flag("--unreferenced", options->unreferenced,
                    "Also revisions that no branch points to and the lock file does not list");
  command->add_flag("--dry-run", options->dry_run, "Only say what would go");
  CLI::Option* file = command->add_option("--lock", options->package.lock,
                                          "Lock file; default: WGK_LOCK, or wgk.lock where there is one");
  file->type_name("FILE");
  command->add_flag("--no-lock", options->package.no_lock, "Use no lock file")->excludes(file);
  command->footer("Example:\n  wgk cache prune --unreferenced --dry-run");
}

}  // namespace wgk::cli
