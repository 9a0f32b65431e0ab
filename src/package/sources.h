// Where the bytes of a package come from: a folder or memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "package/load.h"

namespace wgk::package {

/// The folder build/webgpu/. Nothing outside its real path is ever read, whatever links it holds.
class DirectorySource : public Source {
 public:
  explicit DirectorySource(const std::filesystem::path& folder);
  Result<std::string> read(std::string_view path, std::uint64_t limit) const override;

 private:
  std::filesystem::path root_;  ///< links resolved once for all files
};

/// Texts keyed by their path; they must outlive the source.
class MemorySource : public Source {
 public:
  explicit MemorySource(const std::map<std::string, std::string>& files) : files_(files) {}
  Result<std::string> read(std::string_view path, std::uint64_t limit) const override;

 private:
  const std::map<std::string, std::string>& files_;
};

/// Reads a regular file of at most `limit` bytes inside `folder` after resolving links. The one POSIX file is its home.
Result<std::string> read_contained(const std::filesystem::path& folder, std::string_view path, std::uint64_t limit);

/// read_contained in a folder whose links are resolved.
Result<std::string> read_inside(const std::filesystem::path& root, std::string_view path, std::uint64_t limit);

}  // namespace wgk::package
