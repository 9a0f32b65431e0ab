// Loading a package for a subcommand.
#include "package_flags.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cli.h"
#ifdef WGK_WITH_HUB
#include "hub_output.h"
#endif

namespace wgk::cli {

#ifdef WGK_WITH_HUB

void PackageFlags::add_to(CLI::App& command) {
  command.add_option("--version", version, "Version of a package of the Hub: owner/name --version 1 is owner/name@v1")
      ->type_name("N");
  command.add_option("--revision", revision, "Branch, tag or commit of a package of the Hub")->type_name("REV");
  command.add_flag("--trust", trust, "Accept packages of other owners than webgpu-kernels");
  command.add_flag("--offline", offline, "Use the cache alone, as with HF_HUB_OFFLINE=1");
  CLI::Option* file =
      command.add_option("--lock", lock, "Lock file; default: WGK_LOCK, or wgk.lock where there is one");
  file->type_name("FILE");
  command.add_flag("--no-lock", no_lock, "Use no lock file")->excludes(file);
}

HubOptions PackageFlags::hub_options() const {
  HubOptions options;
  options.trust = trust;
  options.offline = offline;
  if (no_lock) {
    ::unsetenv("WGK_LOCK");
    return options;
  }
  options.lock_file = lock;
  const char* named = std::getenv("WGK_LOCK");
  std::error_code ignored;
  if (lock.empty() && (named == nullptr || *named == '\0') && std::filesystem::exists(kLockName, ignored)) {
    options.lock_file = kLockName;
  }
  return options;
}

Result<Package> PackageFlags::load_reference(const std::string& location, const LoadOptions& options) const {
  const auto reference = parse_reference(location, {version, revision});
  if (!reference) return reference.error();
  HubOptions hub = hub_options();
  ProgressLine progress(false);
  hub.progress = progress.callback();
  auto loaded = wgk::load_reference(*reference, hub, options);
  progress.clear();
  if (!loaded) return loaded.error();
  if (loaded->origin == PackageOrigin::kInstalled) {
    note(fmt::format("{}: using the installed package at {}; wgk fetch {} gets the one of the Hub", reference->text(),
                     loaded->package.location(), reference->text()));
  }
  return std::move(loaded->package);
}

Result<Package> PackageFlags::load(const std::string& location, const LoadOptions& options) const {
  const bool named = version != 0 || !revision.empty();
  if (named || (is_reference(location) && location.find('@') != std::string::npos)) {
    return load_reference(location, options);
  }
  auto package = Package::load(location, options);
  if (!package) {
    if (is_reference(location) && location.starts_with("webgpu-kernels/")) {
      return Error{package.error().code, fmt::format("{}; a package of the Hub is named with its version, {}@v1",
                                                     package.error().message, location)};
    }
    return package;
  }
  std::string file = hub_options().lock_file;
  if (const char* set = std::getenv("WGK_LOCK"); file.empty() && set != nullptr) file = set;
  if (file.empty()) return package;
  const auto locked = PackageLock::read(file);
  if (!locked) return locked.error();
  const Status status = locked->check(*package);
  if (status) return package;
  return Error{status.error().code, fmt::format("{} ({}; --no-lock ignores it)", status.error().message, file)};
}

Result<std::string> PackageFlags::locate(const std::string& location) const {
  const bool named = version != 0 || !revision.empty();
  if (!named && (!is_reference(location) || location.find('@') == std::string::npos)) return location;
  const auto package = load_reference(location, {});
  if (!package) return package.error();
  return package->location();
}

#else

Result<std::string> PackageFlags::locate(const std::string& location) const { return location; }

void PackageFlags::add_to(CLI::App&) {}

Result<Package> PackageFlags::load(const std::string& location, const LoadOptions& options) const {
  return Package::load(location, options);
}

#endif

}  // namespace wgk::cli
