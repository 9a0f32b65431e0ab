// Reading the cache.
#include "hub/cache.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/sha256.h"
#include "hub/reference.h"
#include "package/identifiers.h"
#include "package/metadata.h"
#include "package/node.h"
#include "package/sources.h"

namespace wgk::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderPrefix = "kernels--";
constexpr std::chrono::minutes kLockPatience{10};
constexpr std::size_t kMaxEntries = 100'000;  ///< of one folder of the cache

/// The names in a folder, sorted; none when it is not there.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.size() == kMaxEntries) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> read_commit(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(64, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (!is_commit(text)) return std::nullopt;
  return text;
}

/// Reads and compares the files that the metadata lists; what is wrong goes into `out.problems`.
void verify_files(const fs::path& folder, const std::map<std::string, std::string>& digests, CachedPackage& out) {
  for (const auto& [path, digest] : digests) {
    if (path == kMetadataName) continue;
    const auto bytes = package::read_contained(folder, path, size_limit(path));
    if (!bytes) {
      out.problems.push_back(bytes.error().message);
    } else if (base::sha256_base64(*bytes) != digest) {
      out.problems.push_back(fmt::format("{} does not match metadata.json", path));
    }
  }
}

}  // namespace

std::uint64_t size_limit(std::string_view path) {
  if (path == kMetadataName) return limits::kMaxMetadataBytes;
  if (path == "manifest.json") return limits::kMaxManifestBytes;
  if (path == "test.json") return limits::kMaxTestFileBytes;
  if (path == "bench.json") return limits::kMaxBenchFileBytes;
  return package::is_template_path(path) ? limits::kMaxTemplateBytes : limits::kMaxPackedFileBytes;
}

CacheRepository::CacheRepository(fs::path cache, std::string owner, std::string name)
    : cache_(std::move(cache)), owner_(std::move(owner)), name_(std::move(name)) {}

fs::path CacheRepository::root() const { return cache_ / fmt::format("{}{}--{}", kFolderPrefix, owner_, name_); }
fs::path CacheRepository::snapshot(std::string_view commit) const { return root() / "snapshots" / commit; }

std::optional<std::string> CacheRepository::commit_of(std::string_view revision) const {
  if (is_commit(revision)) return std::string(revision);
  return read_commit(root() / "refs" / revision);
}

std::vector<std::string> CacheRepository::commits() const {
  std::vector<std::string> names = names_in(root() / "snapshots");
  names.erase(std::remove_if(names.begin(), names.end(), [](const auto& name) { return !is_commit(name); }),
              names.end());
  return names;
}

std::map<std::string, std::string> CacheRepository::branches() const {
  std::map<std::string, std::string> out;
  const fs::path refs = root() / "refs";
  std::error_code error;
  for (fs::recursive_directory_iterator entry(refs, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored) || out.size() == kMaxEntries) continue;
    if (auto commit = read_commit(entry->path())) {
      out.emplace(entry->path().lexically_relative(refs).generic_string(), *std::move(commit));
    }
  }
  return out;
}

std::optional<CachedPackage> CacheRepository::find(std::string_view commit, bool verify) const {
  const fs::path folder = snapshot(commit) / "build" / "webgpu";
  std::error_code error;
  if (!fs::is_directory(folder, error)) return std::nullopt;
  CachedPackage out;
  out.owner = owner_;
  out.name = name_;
  out.revision = commit;
  out.folder = snapshot(commit).string();
  for (const auto& [branch, at] : branches()) {
    if (at == commit) out.branches.push_back(branch);
  }
  const auto text = package::read_contained(folder, kMetadataName, limits::kMaxMetadataBytes);
  if (!text) {
    out.problems.push_back(text.error().message);
    return out;
  }
  const auto metadata = package::parse_metadata(*text, name_);
  if (!metadata) {
    out.problems.push_back(metadata.error().message);
    return out;
  }
  out.digests = metadata->digests;
  out.digests[kMetadataName] = base::sha256_base64(*text);
  for (const auto& entry : out.digests) {
    const std::uintmax_t bytes = fs::file_size(folder / entry.first, error);
    if (error) continue;
    ++out.files;
    out.bytes += bytes;
  }
  if (verify) verify_files(folder, out.digests, out);
  return out;
}

Result<FileLock> CacheRepository::lock(const std::function<void()>& waiting) const {
  const fs::path folder = cache_ / ".locks" / root().filename();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{ErrorCode::kUsage, fmt::format("the cache cannot be written: {}: {}; HF_HUB_CACHE names another place",
                                                folder.string(), error.message())};
  }
  return FileLock::acquire(folder / "wgk.lock", kLockPatience, waiting);
}

Result<std::vector<CacheRepository>> list_repositories(const fs::path& cache) {
  std::error_code error;
  if (!fs::exists(cache, error) && !error) return std::vector<CacheRepository>{};
  if (!error) fs::directory_iterator(cache, error);
  if (error) return Error{ErrorCode::kUsage, fmt::format("{}: {}", cache.string(), error.message())};
  std::vector<CacheRepository> out;
  for (const std::string& folder : names_in(cache)) {
    if (!folder.starts_with(kFolderPrefix)) continue;
    const std::string_view rest = std::string_view(folder).substr(kFolderPrefix.size());
    const std::size_t separator = rest.find("--");
    if (separator == std::string_view::npos) continue;
    const std::string_view owner = rest.substr(0, separator);
    const std::string_view name = rest.substr(separator + 2);
    if (is_repository_part(owner) && is_repository_part(name)) {
      out.emplace_back(cache, std::string(owner), std::string(name));
    }
  }
  return out;
}

PackageFiles reusable_files(const CacheRepository& repository, const std::map<std::string, std::string>& digests) {
  PackageFiles out;
  for (const std::string& commit : repository.commits()) {
    const fs::path folder = repository.snapshot(commit) / "build" / "webgpu";
    for (const auto& [path, digest] : digests) {
      if (out.count(path) > 0) continue;
      auto bytes = package::read_contained(folder, path, size_limit(path));
      if (bytes && base::sha256_base64(*bytes) == digest) out.emplace(path, *std::move(bytes));
    }
  }
  return out;
}

}  // namespace wgk::hub
