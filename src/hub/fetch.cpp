// fetch_package: from a reference to a package in the cache. Nothing is written before every digest has been checked
// and the package has been loaded from the very bytes that came.
#include <utility>

#include <fmt/format.h>

#include <wgk/hub.hpp>

#include "base/sha256.h"
#include "base/try.h"
#include "hub/cache.h"
#include "hub/hub_client.h"
#include "hub/locked.h"
#include "hub/reference.h"
#include "hub/settings.h"
#include "package/load.h"
#include "package/metadata.h"
#include "package/node.h"
#include "package/sources.h"

namespace wgk::hub {
namespace {

constexpr const char* kFolderInRepository = "build/webgpu/";

Error package_error(const PackageReference& reference, std::string_view reason) {
  return Error{ErrorCode::kPackage, fmt::format("{}: {}", reference.text(), reason)};
}

/// One fetch: what is asked for, and what has come so far.
class Fetch {
 public:
  Fetch(const PackageReference& reference, const HubOptions& options, const Settings& settings,
        std::optional<LockedPackage> locked, HubClient client)
      : reference_(reference),
        options_(options),
        repository_(settings.cache, reference.owner, reference.name),
        locked_(std::move(locked)),
        client_(std::move(client)) {
    progress_.reference = reference.text();
  }

  Result<FetchedPackage> run();

 private:
  Status fetch_metadata();
  Status fetch_files();
  Status check_package() const;
  Result<std::string> fetch(const std::string& path, const std::string& revision, std::string* commit);
  Result<std::string> fetch_checked(const std::string& path, const std::string& digest);
  Result<FetchedPackage> finish(const CachedPackage& package, bool downloaded) const;
  void report(const std::string& file);

  PackageReference reference_;
  HubOptions options_;
  CacheRepository repository_;
  std::optional<LockedPackage> locked_;
  HubClient client_;
  std::string commit_;
  std::map<std::string, std::string> digests_;
  PackageFiles files_;
  FetchProgress progress_;
  std::uint64_t bytes_before_ = 0;  ///< of the files that are complete
  std::size_t received_ = 0;
};

void Fetch::report(const std::string& file) {
  if (!options_.progress) return;
  progress_.file = file;
  options_.progress(progress_);
}

Result<std::string> Fetch::fetch(const std::string& path, const std::string& revision, std::string* commit) {
  report(path);
  FileRequest request;
  request.reference = &reference_;
  request.revision = revision;
  request.path = kFolderInRepository + path;
  request.limit = size_limit(path);
  if (options_.progress) {
    request.received = [&](std::uint64_t received) {
      progress_.bytes = bytes_before_ + received;
      report(path);
    };
  }
  auto file = client_.get(request);
  if (!file) return file.error();
  ++received_;
  bytes_before_ += file->body.size();
  progress_.bytes = bytes_before_;
  if (commit != nullptr) *commit = file->commit;
  return std::move(file->body);
}

Status Fetch::fetch_metadata() {
  const std::string wanted = locked_ ? locked_->revision : reference_.revision;
  WGK_TRY(std::string text, fetch(kMetadataName, wanted, &commit_));
  if (is_commit(wanted)) {
    if (!commit_.empty() && commit_ != wanted) {
      return package_error(reference_, fmt::format("asked for revision {}, the server sent {}", wanted, commit_));
    }
    commit_ = wanted;
  } else if (commit_.empty()) {
    return package_error(reference_,
                         "the answer has no X-Repo-Commit, so it is not from a Hub; HF_ENDPOINT must name "
                         "one, and no proxy may drop headers");
  }
  WGK_TRY(const package::Metadata metadata, package::parse_metadata(text, reference_.text()));
  digests_ = metadata.digests;
  if (digests_.count(kMetadataName) > 0) return package_error(reference_, "metadata.json must not list itself");
  if (digests_.size() > kMaxFetchedFiles) {
    return package_error(
        reference_, fmt::format("metadata.json lists {} files; the limit is {}", digests_.size(), kMaxFetchedFiles));
  }
  digests_[kMetadataName] = base::sha256_base64(text);
  files_.emplace(kMetadataName, std::move(text));
  if (!locked_) return {};
  return check_digests(fmt::format("{} on the Hub", reference_.text()), *locked_, digests_);
}

Result<std::string> Fetch::fetch_checked(const std::string& path, const std::string& digest) {
  WGK_TRY(std::string bytes, fetch(path, commit_, nullptr));
  const std::string actual = base::sha256_base64(bytes);
  if (actual == digest) return bytes;
  return package_error(reference_, fmt::format("{} does not match metadata.digest.files (got {}): it was damaged on "
                                               "the way, or the repository is inconsistent; nothing was kept",
                                               path, actual));
}

Status Fetch::fetch_files() {
  std::map<std::string, std::string> wanted = digests_;
  wanted.erase(kMetadataName);
  files_.merge(reusable_files(repository_, wanted));
  std::uint64_t total = 0;
  for (const auto& entry : files_) total += entry.second.size();
  progress_.files_total = digests_.size();
  progress_.files_done = files_.size();
  for (const auto& [path, digest] : wanted) {
    if (files_.count(path) > 0) continue;
    WGK_TRY(std::string bytes, fetch_checked(path, digest));
    total += bytes.size();
    if (total > kMaxFetchedBytes) {
      return package_error(reference_, fmt::format("the package has more than {} bytes", kMaxFetchedBytes));
    }
    files_.emplace(path, std::move(bytes));
    ++progress_.files_done;
  }
  report({});
  return {};
}

/// Loads the package from memory: a bad one is not let into the cache.
Status Fetch::check_package() const {
  auto loaded = package::load_package(package::MemorySource(files_), reference_.text(), {}, reference_.name);
  if (loaded) return {};
  // Errors about the manifest name the place in it, not the package.
  const std::string& message = loaded.error().message;
  return message.starts_with(reference_.text()) ? loaded.error() : package_error(reference_, message);
}

Result<FetchedPackage> Fetch::finish(const CachedPackage& package, bool downloaded) const {
  return FetchedPackage{reference_, package, downloaded, received_, bytes_before_};
}

Result<FetchedPackage> Fetch::run() {
  const std::string pinned = locked_ ? locked_->revision : reference_.is_pinned() ? reference_.revision : "";
  WGK_TRY(const FileLock lock, repository_.lock([&] {
    if (options_.log) options_.log(fmt::format("{}: waiting for another process", reference_.text()));
  }));
  if (lock.is_held()) remove_leftovers(repository_);
  if (!pinned.empty()) {
    const auto cached = repository_.find(pinned, true);
    const bool as_locked = cached && (!locked_ || check_digests("", *locked_, cached->digests).ok());
    if (cached && cached->problems.empty() && as_locked) return finish(*cached, false);
  }
  WGK_CHECK(fetch_metadata());
  const auto cached = repository_.find(commit_, true);
  const bool complete = cached && cached->problems.empty() && cached->digests == digests_;
  if (!complete) {
    WGK_CHECK(fetch_files());
    WGK_CHECK(check_package());
    WGK_CHECK(add_package(repository_, commit_, files_));
  }
  if (!is_commit(reference_.revision) && !locked_) {
    WGK_CHECK(write_branch(repository_, reference_.revision, commit_));
  }
  const auto package = repository_.find(commit_, false);
  if (!package) return package_error(reference_, "another program removed it from the cache meanwhile; try again");
  return finish(*package, !complete);
}

/// Without a network: what the cache has, checked.
Result<FetchedPackage> fetch_offline(const PackageReference& reference, const Settings& settings,
                                     const std::optional<LockedPackage>& locked) {
  const CacheRepository repository(settings.cache, reference.owner, reference.name);
  const auto commit = repository.commit_of(locked ? locked->revision : reference.revision);
  const auto cached = commit ? repository.find(*commit, true) : std::nullopt;
  if (!cached) {
    return package_error(reference, fmt::format("not in the cache {}, and offline; run wgk fetch {} once with a "
                                                "connection",
                                                settings.cache.string(), reference.text()));
  }
  if (!cached->problems.empty()) {
    return package_error(reference, fmt::format("{}: {}; run wgk fetch {} with a connection to repair it",
                                                cached->folder, cached->problems.front(), reference.text()));
  }
  if (locked) WGK_CHECK(check_digests(fmt::format("{} in the cache", reference.text()), *locked, cached->digests));
  return FetchedPackage{reference, *cached, false, 0, 0};
}

}  // namespace
}  // namespace wgk::hub

namespace wgk::inline v0 {

Result<FetchedPackage> fetch_package(const PackageReference& reference, const HubOptions& options) {
  WGK_TRY(const hub::Settings settings, hub::read_settings(options, hub::process_environment));
  WGK_CHECK(hub::check_trusted(reference, options.trust));
  WGK_TRY(std::optional<LockedPackage> locked, hub::locked_entry(reference, options));
  if (settings.offline) return hub::fetch_offline(reference, settings, locked);
  WGK_TRY(hub::HubClient client, hub::HubClient::create(settings, options));
  return hub::Fetch(reference, options, settings, std::move(locked), std::move(client)).run();
}

}  // namespace wgk::inline v0
