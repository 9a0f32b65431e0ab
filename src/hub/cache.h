// The cache on disk, in the layout that huggingface_hub and kernels use:
//
//   <cache>/kernels--owner--name/blobs/<content>                        the bytes, under the name that git has for them
//                               /snapshots/<commit>/build/webgpu/<file>  links to them
//                               /refs/<branch>                           the commit that a branch was at
//   <cache>/.locks/kernels--owner--name/wgk.lock                        held while one of us writes there
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/hub.hpp>
#include <wgk/status.hpp>

#include "hub/posix_files.h"

namespace wgk::hub {

/// The name under which lists of digests have metadata.json, which does not list itself.
inline constexpr const char* kMetadataName = "metadata.json";

/// The most files that a package may list, and the most bytes in all.
inline constexpr std::size_t kMaxFetchedFiles = 1000;
inline constexpr std::uint64_t kMaxFetchedBytes = 256u << 20;

/// How large a file of a package may be, by its name.
std::uint64_t size_limit(std::string_view path);

/// One repository in the cache, whether it is there or not.
class CacheRepository {
 public:
  CacheRepository(std::filesystem::path cache, std::string owner, std::string name);

  const std::string& owner() const { return owner_; }
  const std::string& name() const { return name_; }
  std::filesystem::path root() const;
  std::filesystem::path snapshot(std::string_view commit) const;

  /// What a branch was at when it was last asked for; a commit stands for itself.
  std::optional<std::string> commit_of(std::string_view revision) const;
  std::vector<std::string> commits() const;
  /// Branches and tags by name, with their commit.
  std::map<std::string, std::string> branches() const;

  /// The package of a revision as the cache has it. With `verify` every file is read and compared. Nullopt when there
  /// is no WebGPU package.
  std::optional<CachedPackage> find(std::string_view commit, bool verify) const;

  /// Locks the repository for writing.
  Result<FileLock> lock(const std::function<void()>& waiting) const;

 private:
  std::filesystem::path cache_;
  std::string owner_;
  std::string name_;
};

/// All repositories of kernels in a cache, by name. Error: kUsage when the folder is there but cannot be read.
Result<std::vector<CacheRepository>> list_repositories(const std::filesystem::path& cache);

/// Files of a package by path below build/webgpu/.
using PackageFiles = std::map<std::string, std::string>;

/// What of `digests` the repository has already, in any revision, by path.
PackageFiles reusable_files(const CacheRepository& repository, const std::map<std::string, std::string>& digests);

/// Makes a package visible: all of it, or on an error nothing. The repository is locked by the caller. Error: kUsage
/// when the cache cannot be written.
Status add_package(const CacheRepository& repository, const std::string& commit, const PackageFiles& files);

/// Notes where a branch is now. Error: kUsage.
Status write_branch(const CacheRepository& repository, const std::string& branch, const std::string& commit);

/// The start of the names of folders that a killed writer may leave behind.
inline constexpr const char* kStagingPrefix = ".wgk-";

/// Removes what killed writers left. Only under a lock that is held: it could be of one that is at work.
void remove_leftovers(const CacheRepository& repository);

}  // namespace wgk::hub
