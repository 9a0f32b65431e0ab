// list_cache and verify_cache.
#include <utility>

#include <wgk/hub.hpp>

#include "base/try.h"
#include "hub/cache.h"
#include "hub/settings.h"

namespace wgk::hub {
namespace {

Result<std::vector<CachedPackage>> inventory(const HubOptions& options, bool verify) {
  WGK_TRY(const std::filesystem::path cache, cache_folder(options, process_environment));
  WGK_TRY(const std::vector<CacheRepository> repositories, list_repositories(cache));
  std::vector<CachedPackage> out;
  for (const CacheRepository& repository : repositories) {
    for (const std::string& commit : repository.commits()) {
      if (auto found = repository.find(commit, verify)) out.push_back(*std::move(found));
    }
  }
  return out;
}

}  // namespace
}  // namespace wgk::hub

namespace wgk::inline v0 {

Result<std::vector<CachedPackage>> list_cache(const HubOptions& options) { return hub::inventory(options, false); }
Result<std::vector<CachedPackage>> verify_cache(const HubOptions& options) { return hub::inventory(options, true); }

}  // namespace wgk::inline v0
