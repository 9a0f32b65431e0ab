// Packages of the Hugging Face Hub: references, the cache that other tools share, lock files. In libraries that were
// built with WGK_WITH_HUB; docs/hub.md tells the rules.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/export.hpp>
#include <wgk/package.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// A package on the Hub: "webgpu-kernels/ai.onnx.RotaryEmbedding@v1". There is no default revision.
struct PackageReference {
  std::string owner;
  std::string name;      ///< also the operator id that the package must provide
  std::string revision;  ///< a branch ("v1" for version 1) or tag, which move, or 40 hexadecimal digits, which do not

  WGK_API bool is_pinned() const;          ///< names the bytes
  WGK_API std::string text() const;        ///< "owner/name@revision"
  WGK_API std::string repository() const;  ///< "owner/name"

  friend bool operator==(const PackageReference&, const PackageReference&) = default;
};

/// What may stand beside a reference that has no "@".
struct RevisionChoice {
  int version = 0;       ///< 0: none; N is the branch "vN"
  std::string revision;  ///< empty: none; any branch, tag or 40 hexadecimal digits
};

/// Reads "owner/name@vN", "owner/name@<40 hexadecimal digits>", or "owner/name" with a choice. Error: kUsage.
WGK_API Result<PackageReference> parse_reference(std::string_view text, const RevisionChoice& choice = {});

/// Whether `text` is spelled "owner/name" or "owner/name@…" and is no folder.
WGK_API bool is_reference(std::string_view text);

/// How far a download is.
struct FetchProgress {
  std::string reference;
  std::string file;            ///< the file that is being received
  std::size_t files_done = 0;  ///< of files_total; 0 of 0 until the metadata has come
  std::size_t files_total = 0;
  std::uint64_t bytes = 0;  ///< received so far, of all files
};

/// What is empty or zero is taken from the environment, as huggingface_hub reads it (docs/hub.md, "Environment").
struct HubOptions {
  std::string endpoint{};                      ///< HF_ENDPOINT, https://huggingface.co
  std::string cache{};                         ///< KERNELS_CACHE, HF_HUB_CACHE, HF_HOME/hub, …
  std::optional<std::string> token{};          ///< HF_TOKEN or the token file; an empty one sends none
  bool offline = false;                        ///< true, or HF_HUB_OFFLINE: use the cache alone
  bool trust = false;                          ///< accept owners other than webgpu-kernels
  std::string lock_file{};                     ///< WGK_LOCK; packages must be as it says
  std::chrono::milliseconds timeout{};         ///< for connecting, and without a byte; HF_HUB_DOWNLOAD_TIMEOUT, 10 s
  int attempts = 5;                            ///< of one file, before giving up
  std::chrono::milliseconds retry_delay{500};  ///< before the second attempt; doubled for each further one
  std::function<void(const FetchProgress&)> progress{};
  std::function<void(std::string_view)> log{};  ///< a line for each request and answer; never holds the token
};

/// One revision of a package in the cache.
struct CachedPackage {
  std::string owner;
  std::string name;
  std::string revision;                        ///< 40 hexadecimal digits
  std::vector<std::string> branches;           ///< branches and tags that point to it, as far as the cache knows
  std::string folder;                          ///< the package folder, which holds build/webgpu/
  std::size_t files = 0;                       ///< metadata.json and the files that it lists
  std::uint64_t bytes = 0;                     ///< of those
  std::map<std::string, std::string> digests;  ///< of metadata.json (digest.files), and of metadata.json itself
  std::vector<std::string> problems;           ///< verify_cache(): what is wrong with it; empty when all is right
};

/// What fetch_package() brought.
struct FetchedPackage {
  PackageReference reference;  ///< as asked for
  CachedPackage package;
  bool downloaded = false;  ///< false: the cache had it already
  std::size_t files_received = 0;
  std::uint64_t bytes_received = 0;
};

/// Brings the cache up to date: asks the Hub what the reference means now, downloads what is missing, checks every
/// digest, and makes the package visible as a whole. With a lock file the locked revision is what is fetched. Errors:
/// kUsage (an owner that is not trusted), kPackage (not there, no access, no connection, a wrong digest, a bad
/// package), kCheckFailed (differs from the lock file).
WGK_API Result<FetchedPackage> fetch_package(const PackageReference& reference, const HubOptions& options = {});

/// Where load_reference() found a package.
enum class PackageOrigin {
  kOverride,  ///< WGK_KERNELS_PATH
  kCache,
  kInstalled,  ///< first-party, of that version
  kHub,        ///< downloaded just now
};

struct LoadedReference {
  Package package;
  PackageOrigin origin;
};

/// Loads a package by reference. The first of these that has it wins: WGK_KERNELS_PATH (for "vN", a package of that
/// version), the cache, an installed package of that version, the Hub. A branch in the cache is used as it stands;
/// fetch_package() moves it on. With a lock file only the cache and the Hub count, and the digests must be the locked
/// ones. Errors as of fetch_package().
WGK_API Result<LoadedReference> load_reference(const PackageReference& reference, const HubOptions& options = {},
                                               const LoadOptions& load = {});

/// All packages of the cache, broken ones too. Error: kUsage when the cache cannot be read.
WGK_API Result<std::vector<CachedPackage>> list_cache(const HubOptions& options = {});
/// The same with `problems` filled: every file is read and compared with its digest.
WGK_API Result<std::vector<CachedPackage>> verify_cache(const HubOptions& options = {});

struct PruneOptions {
  bool unreferenced = false;  ///< also whole revisions that no branch points to and the lock file does not need
  bool dry_run = false;       ///< only say what would go
};

/// One thing that was removed, or would be.
struct Pruned {
  std::string path;
  std::string reason;
  std::uint64_t bytes = 0;
};

/// Removes what no package needs: broken revisions, files that no revision refers to, remains of killed downloads.
/// Repositories without a WebGPU package belong to other tools and are left alone, as is anything younger than an hour
/// that another tool may be writing. Error: kUsage when something cannot be removed.
WGK_API Result<std::vector<Pruned>> prune_cache(const PruneOptions& prune, const HubOptions& options = {});

struct LockedPackage {
  std::string revision;                        ///< 40 hexadecimal digits
  std::map<std::string, std::string> digests;  ///< by path below build/webgpu/, metadata.json among them

  friend bool operator==(const LockedPackage&, const LockedPackage&) = default;
};

/// A lock file: what each reference means, to the byte.
struct PackageLock {
  std::map<std::string, LockedPackage> packages;  ///< by PackageReference::text()

  /// Error: kUsage with the place.
  WGK_API static Result<PackageLock> parse(std::string_view text);
  WGK_API static Result<PackageLock> read(const std::filesystem::path& file);
  WGK_API std::string to_json() const;

  /// The entry of a reference; for a pinned one also an entry of another spelling with that revision. Null when absent.
  WGK_API const LockedPackage* find(const PackageReference& reference) const;
  /// A loaded package, wherever it came from, against every entry of its operator. Error: kCheckFailed.
  WGK_API Status check(const Package& package) const;
};

}  // namespace wgk::inline v0
