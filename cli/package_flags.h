// How subcommands take packages: a folder, an id, or a reference to the Hub, and the options that belong to that.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <wgk/package.hpp>
#include <wgk/status.hpp>
#ifdef WGK_WITH_HUB
#include <wgk/hub.hpp>
#endif

namespace wgk::cli {

inline constexpr const char* kLockName = "wgk.lock";

/// --version, --revision, --trust, --offline, --lock and --no-lock.
struct PackageFlags {
  int version = 0;
  std::string revision;
  bool trust = false;
  bool offline = false;
  std::string lock;
  bool no_lock = false;

  void add_to(CLI::App& command);
  /// Loads the package; with a lock file, only as that says. Remarks on stderr where it came from another place than
  /// the user may think.
  Result<Package> load(const std::string& location, const LoadOptions& options = {}) const;
  /// For what works on folders: the folder of a package of the Hub, any other location as it is.
  Result<std::string> locate(const std::string& location) const;
#ifdef WGK_WITH_HUB
  /// The options of all that reaches the Hub. The lock file is --lock, WGK_LOCK, or ./wgk.lock where there is one.
  HubOptions hub_options() const;

 private:
  Result<Package> load_reference(const std::string& location, const LoadOptions& options) const;
#endif
};

/// "A package folder, …", the help of the argument PACKAGE.
inline constexpr const char* kPackageHelp =
    "A package folder, the id of an installed package, or owner/name@vN for one of the Hub";

/// The same for several.
inline constexpr const char* kPackagesHelp =
    "Package folders, ids of installed packages, or owner/name@vN for those of the Hub";

}  // namespace wgk::cli
