// The one thing that packages in the Hub's cache differ in: their files are links to the content beside them.
#pragma once

#include <filesystem>

namespace wgk::package {

/// Whether `file` is content of the cache repository that `folder` is a snapshot of. A snapshot
/// <cache>/kernels--owner--name/snapshots/<commit>/ holds links into <cache>/kernels--owner--name/blobs/, or, as newer
/// tools share content between repositories, from there into <cache>/blobs/. Both paths must be resolved already.
bool is_cached_content(const std::filesystem::path& file, const std::filesystem::path& folder);

/// `file` lies below `folder`; both are resolved or both are lexically normal.
bool is_inside(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace wgk::package
