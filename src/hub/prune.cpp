// prune_cache: what goes, and the caution that a cache with other users asks for.
#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <wgk/hub.hpp>

#include "base/try.h"
#include "hub/cache.h"
#include "hub/settings.h"

namespace wgk::hub {
namespace {

namespace fs = std::filesystem;

/// Younger things may be another tool's work in progress.
constexpr std::chrono::hours kSettled{1};

bool is_settled(const fs::path& path) {
  std::error_code error;
  const auto changed = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - changed > kSettled;
}

std::uint64_t bytes_in(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    const std::uintmax_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    return error ? 0 : bytes;
  }
  std::uint64_t total = 0;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_symlink(ignored) || !entry->is_regular_file(ignored)) continue;
    const std::uintmax_t bytes = entry->file_size(ignored);
    total += ignored ? 0 : bytes;
  }
  return total;
}

/// The pruning of one repository, under its lock.
class Pruning {
 public:
  Pruning(const CacheRepository& repository, const PruneOptions& options, const std::set<std::string>& locked,
          std::vector<Pruned>& out)
      : repository_(repository), options_(options), locked_(locked), out_(out) {}

  Status run() {
    WGK_CHECK(prune_leftovers());
    WGK_CHECK(prune_revisions());
    return prune_blobs();
  }

 private:
  Status remove(const fs::path& path, std::string reason) {
    const std::uint64_t bytes = bytes_in(path);
    std::error_code error;
    if (!options_.dry_run) fs::remove_all(path, error);
    if (error) return Error{ErrorCode::kUsage, fmt::format("{}: {}", path.string(), error.message())};
    out_.push_back({path.string(), std::move(reason), bytes});
    gone_.insert(path);
    return {};
  }

  std::vector<fs::path> entries(const fs::path& folder) const {
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      out.push_back(entry->path());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  Status prune_leftovers() {
    for (const fs::path& path : entries(repository_.root())) {
      if (path.filename().string().starts_with(kStagingPrefix)) {
        WGK_CHECK(remove(path, "left by a fetch that was killed"));
      }
    }
    return {};
  }

  Status prune_revisions() {
    for (const std::string& commit : repository_.commits()) {
      const auto package = repository_.find(commit, true);
      if (!package) continue;
      if (!package->problems.empty()) {
        if (!may_be_in_progress(*package)) {
          WGK_CHECK(remove_revision(commit, fmt::format("broken: {}", package->problems.front())));
        }
      } else if (options_.unreferenced && package->branches.empty() && locked_.count(commit) == 0) {
        WGK_CHECK(remove_revision(commit, "no branch points to it"));
      }
    }
    return {};
  }

  bool may_be_in_progress(const CachedPackage& package) const {
    const bool incomplete = package.digests.empty() || package.files < package.digests.size();
    return incomplete && !is_settled(repository_.snapshot(package.revision) / "build" / "webgpu");
  }

  /// The WebGPU package of a revision; builds for other backends stay.
  Status remove_revision(const std::string& commit, std::string reason) {
    const fs::path snapshot = repository_.snapshot(commit);
    const bool alone = entries(snapshot).size() == 1 && entries(snapshot / "build").size() == 1;
    const fs::path path = alone ? snapshot : snapshot / "build" / "webgpu";
    for (fs::path blob : linked_blobs(path)) freed_.insert(std::move(blob));
    return remove(path, std::move(reason));
  }

  /// The names of the content that links below `folder` lead to.
  std::set<fs::path> linked_blobs(const fs::path& folder) const {
    std::set<fs::path> out;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (gone_.count(entry->path()) > 0) {
        entry.disable_recursion_pending();
        continue;
      }
      std::error_code ignored;
      if (entry->is_symlink(ignored)) out.insert(fs::read_symlink(entry->path(), ignored).filename());
    }
    return out;
  }

  Status prune_blobs() {
    const std::set<fs::path> needed = linked_blobs(repository_.root() / "snapshots");
    for (const fs::path& blob : entries(repository_.root() / "blobs")) {
      if (needed.count(blob.filename()) > 0) continue;
      if (!is_settled(blob) && freed_.count(blob.filename()) == 0) continue;
      const bool partial = blob.extension() == ".incomplete";
      WGK_CHECK(remove(blob, partial ? "left by a download that was killed" : "no revision refers to it"));
    }
    return {};
  }

  const CacheRepository& repository_;
  const PruneOptions& options_;
  const std::set<std::string>& locked_;
  std::vector<Pruned>& out_;
  std::set<fs::path> gone_;   ///< in a dry run they are still there
  std::set<fs::path> freed_;  ///< content of revisions that went
};

bool has_package(const CacheRepository& repository) {
  const std::vector<std::string> commits = repository.commits();
  return std::any_of(commits.begin(), commits.end(),
                     [&](const std::string& commit) { return repository.find(commit, false).has_value(); });
}

bool has_leftovers(const CacheRepository& repository) {
  std::error_code error;
  for (fs::directory_iterator entry(repository.root(), error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with(kStagingPrefix)) return true;
  }
  return false;
}

Result<std::set<std::string>> locked_commits(const HubOptions& options) {
  std::set<std::string> out;
  const std::string file = lock_file(options, process_environment);
  if (file.empty()) return out;
  WGK_TRY(const PackageLock lock, PackageLock::read(file));
  for (const auto& entry : lock.packages) out.insert(entry.second.revision);
  return out;
}

}  // namespace
}  // namespace wgk::hub

namespace wgk::inline v0 {

Result<std::vector<Pruned>> prune_cache(const PruneOptions& prune, const HubOptions& options) {
  WGK_TRY(const std::filesystem::path cache, hub::cache_folder(options, hub::process_environment));
  WGK_TRY(const std::set<std::string> locked, hub::locked_commits(options));
  WGK_TRY(const std::vector<hub::CacheRepository> repositories, hub::list_repositories(cache));
  std::vector<Pruned> out;
  for (const hub::CacheRepository& repository : repositories) {
    if (!hub::has_package(repository) && !hub::has_leftovers(repository)) continue;
    WGK_TRY(const hub::FileLock lock, repository.lock({}));
    WGK_CHECK(hub::Pruning(repository, prune, locked, out).run());
  }
  return out;
}

}  // namespace wgk::inline v0
