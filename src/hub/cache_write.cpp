// Writing the cache: content first, then a whole revision at once, then the branch.
#include <algorithm>
#include <random>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/try.h"
#include "hub/blob_name.h"
#include "hub/cache.h"
#include "package/sources.h"

namespace wgk::hub {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, const std::error_code& error) {
  return Error{ErrorCode::kUsage, fmt::format("the cache cannot be written: {}: {}", path.string(), error.message())};
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return cannot_write(folder, error);
  return {};
}

/// A folder for this write alone, on the file system of the cache. Gone, with all that is still in it, at the end.
class Staging {
 public:
  explicit Staging(const CacheRepository& repository) {
    std::random_device random;
    path_ = repository.root() / fmt::format("{}{:08x}{:08x}", kStagingPrefix, random(), random());
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Content that was added and is taken back unless the package becomes visible.
class AddedBlobs {
 public:
  AddedBlobs() = default;
  ~AddedBlobs() {
    std::error_code ignored;
    for (const fs::path& blob : added_) fs::remove(blob, ignored);
  }
  AddedBlobs(const AddedBlobs&) = delete;
  AddedBlobs& operator=(const AddedBlobs&) = delete;
  void add(fs::path blob) { added_.push_back(std::move(blob)); }
  void keep() { added_.clear(); }

 private:
  std::vector<fs::path> added_;
};

/// Puts content into blobs/ unless it is there, and whole. Returns its name.
Result<std::string> add_blob(const CacheRepository& repository, const fs::path& staging, const std::string& bytes,
                             AddedBlobs& added) {
  const std::string name = blob_name(bytes);
  const fs::path folder = repository.root() / "blobs";
  const auto present = package::read_contained(folder, name, bytes.size());
  if (present && *present == bytes) return name;
  const fs::path temporary = staging / "blob";
  WGK_CHECK(write_new_file(temporary, bytes));
  std::error_code error;
  const bool is_new = !fs::exists(fs::symlink_status(folder / name, error));
  fs::rename(temporary, folder / name, error);
  if (error) return cannot_write(folder / name, error);
  if (is_new) added.add(folder / name);
  return name;
}

/// A link from snapshots/<commit>/build/webgpu/<path> to the content, relative so that a cache can be moved. Where
/// there are no links the file itself stands there, as other tools do it too.
Status add_link(const fs::path& file, const std::string& path, const std::string& blob, const std::string& bytes) {
  std::string up = "../../../../";
  for (const char c : path) up += c == '/' ? "../" : "";
  std::error_code error;
  fs::create_symlink(up + "blobs/" + blob, file, error);
  return error ? write_new_file(file, bytes) : Status();
}

/// Moves the new build/webgpu into the revision, which may have files of other tools already.
Status publish(const fs::path& staged, const fs::path& snapshot) {
  std::error_code error;
  if (!fs::exists(snapshot, error)) {
    fs::rename(staged, snapshot, error);
    if (!error) return {};
  }
  WGK_CHECK(make_folder(snapshot / "build"));
  const fs::path target = snapshot / "build" / "webgpu";
  if (fs::exists(fs::symlink_status(target, error))) return exchange(staged / "build" / "webgpu", target);
  fs::rename(staged / "build" / "webgpu", target, error);
  if (error) return cannot_write(target, error);
  return {};
}

}  // namespace

void remove_leftovers(const CacheRepository& repository) {
  std::error_code error;
  for (fs::directory_iterator entry(repository.root(), error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with(kStagingPrefix)) fs::remove_all(entry->path(), ignored);
  }
}

Status add_package(const CacheRepository& repository, const std::string& commit, const PackageFiles& files) {
  const Staging staging(repository);
  AddedBlobs added;
  WGK_CHECK(make_folder(repository.root() / "blobs"));
  WGK_CHECK(make_folder(repository.root() / "snapshots"));
  const fs::path staged = staging.path() / "snapshot";
  for (const auto& [path, bytes] : files) {
    const fs::path file = staged / "build" / "webgpu" / path;
    WGK_CHECK(make_folder(file.parent_path()));
    WGK_TRY(const std::string blob, add_blob(repository, staging.path(), bytes, added));
    WGK_CHECK(add_link(file, path, blob, bytes));
  }
  WGK_CHECK(publish(staged, repository.snapshot(commit)));
  added.keep();
  return {};
}

Status write_branch(const CacheRepository& repository, const std::string& branch, const std::string& commit) {
  if (repository.commit_of(branch) == commit) return {};
  const Staging staging(repository);
  WGK_CHECK(make_folder(staging.path()));
  const fs::path file = repository.root() / "refs" / branch;
  WGK_CHECK(make_folder(file.parent_path()));
  WGK_CHECK(write_new_file(staging.path() / "ref", commit));
  std::error_code error;
  fs::rename(staging.path() / "ref", file, error);
  if (error) return cannot_write(file, error);
  return {};
}

}  // namespace wgk::hub
