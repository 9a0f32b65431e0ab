// The directory source and the memory source.
#include "package/sources.h"

#include <system_error>

#include <fmt/format.h>

namespace wgk::package {

DirectorySource::DirectorySource(const std::filesystem::path& folder) {
  std::error_code error;
  root_ = std::filesystem::canonical(folder, error);
  if (error) root_ = folder;  // reading a file of it fails for the same reason, and has the words
}

Result<std::string> DirectorySource::read(std::string_view path, std::uint64_t limit) const {
  return read_inside(root_, path, limit);
}

Result<std::string> MemorySource::read(std::string_view path, std::uint64_t limit) const {
  const auto found = files_.find(std::string(path));
  if (found == files_.end()) {
    return Error{ErrorCode::kPackage, fmt::format("cannot read build/webgpu/{}: no such file", path)};
  }
  if (found->second.size() > limit) {
    return Error{ErrorCode::kPackage,
                 fmt::format("{} is {} bytes; the limit is {}", path, found->second.size(), limit)};
  }
  return found->second;
}

}  // namespace wgk::package
