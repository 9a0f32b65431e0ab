// load_reference: the places where a package may be, in their order; and how Package::load comes to know references.
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <wgk/hub.hpp>

#include "base/try.h"
#include "hub/cache.h"
#include "hub/locked.h"
#include "hub/reference.h"
#include "hub/settings.h"
#include "package/load.h"
#include "package/locate.h"
#include "package/sources.h"

namespace wgk::hub {
namespace {

namespace fs = std::filesystem;
using Loaded = std::shared_ptr<const package::LoadedPackage>;

Result<Loaded> load_folder(const PackageReference& reference, const fs::path& folder, const LoadOptions& load) {
  return package::load_package(package::DirectorySource(folder / "build" / "webgpu"), reference.text(), load,
                               reference.name, folder.string());
}

/// A package by id that has the version which the reference asks for. Another version is passed over.
Result<std::optional<Loaded>> load_by_id(const PackageReference& reference, package::Places places,
                                         const LoadOptions& load) {
  const auto version = version_of(reference.revision);
  if (!version || reference.owner != package::kTrustedOwner) return std::optional<Loaded>();
  const auto folder = package::find_by_id(reference.name, places);
  if (!folder) return std::optional<Loaded>();
  WGK_TRY(Loaded loaded, load_folder(reference, *folder, load));
  if (loaded->version != *version) return std::optional<Loaded>();
  return std::optional<Loaded>(std::move(loaded));
}

Result<Loaded> load_cached(const PackageReference& reference, const CachedPackage& cached,
                           const std::optional<LockedPackage>& locked, const LoadOptions& load) {
  if (locked) WGK_CHECK(check_digests(fmt::format("{} in the cache", reference.text()), *locked, cached.digests));
  auto loaded = load_folder(reference, cached.folder, load);
  if (loaded) return loaded;
  return Error{loaded.error().code, fmt::format("{} (in the cache, {}; wgk fetch {} repairs it)",
                                                loaded.error().message, cached.folder, reference.text())};
}

Result<LoadedReference> load(const PackageReference& reference, const HubOptions& options, const LoadOptions& load) {
  WGK_CHECK(check_trusted(reference, options.trust));
  WGK_TRY(const std::optional<LockedPackage> locked, locked_entry(reference, options));
  if (!locked) {
    WGK_TRY(auto found, load_by_id(reference, package::Places::kOverride, load));
    if (found) return LoadedReference{Package(*std::move(found)), PackageOrigin::kOverride};
  }
  WGK_TRY(const fs::path cache, cache_folder(options, process_environment));
  const CacheRepository repository(cache, reference.owner, reference.name);
  const auto commit = repository.commit_of(locked ? locked->revision : reference.revision);
  if (const auto cached = commit ? repository.find(*commit, false) : std::nullopt) {
    WGK_TRY(Loaded loaded, load_cached(reference, *cached, locked, load));
    return LoadedReference{Package(std::move(loaded)), PackageOrigin::kCache};
  }
  if (!locked) {
    WGK_TRY(auto found, load_by_id(reference, package::Places::kInstalled, load));
    if (found) return LoadedReference{Package(*std::move(found)), PackageOrigin::kInstalled};
  }
  WGK_TRY(const FetchedPackage fetched, fetch_package(reference, options));
  WGK_TRY(Loaded loaded, load_cached(reference, fetched.package, locked, load));
  return LoadedReference{Package(std::move(loaded)), PackageOrigin::kHub};
}

Result<Loaded> load_text(std::string_view text, const LoadOptions& load) {
  WGK_TRY(const PackageReference reference, parse_reference(text));
  WGK_TRY(const LoadedReference loaded, load_reference(reference, {}, load));
  return loaded.package.impl();
}

}  // namespace
}  // namespace wgk::hub

/// Named on the link line of static libraries (cmake/WgkLayers.cmake), so that this file is part of every program that
/// may load references.
extern "C" const bool wgk_hub_registration = [] {
  wgk::package::set_reference_loader(&wgk::hub::load_text);
  return true;
}();

namespace wgk::inline v0 {

Result<LoadedReference> load_reference(const PackageReference& reference, const HubOptions& options,
                                       const LoadOptions& load) {
  return hub::load(reference, options, load);
}

}  // namespace wgk::inline v0
