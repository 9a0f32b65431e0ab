// Which links of a cached package may be followed.
#include "package/hub_cache.h"

#include <algorithm>
#include <string>

namespace wgk::package {
namespace {

namespace fs = std::filesystem;

bool is_commit_name(const std::string& text) {
  return text.size() == 40 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// <cache>/kernels--owner--name of a folder at or below a snapshot; empty for any other folder.
fs::path cache_repository(const fs::path& folder) {
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    const fs::path snapshots = at.parent_path();
    if (!is_commit_name(at.filename().string()) || snapshots.filename() != "snapshots") continue;
    const fs::path repository = snapshots.parent_path();
    return repository.filename().string().starts_with("kernels--") ? repository : fs::path();
  }
  return {};
}

}  // namespace

bool is_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != ".." && relative != ".";
}

bool is_cached_content(const fs::path& file, const fs::path& folder) {
  const fs::path repository = cache_repository(folder);
  if (repository.empty()) return false;
  return is_inside(file, repository / "blobs") || is_inside(file, repository.parent_path() / "blobs");
}

}  // namespace wgk::package
