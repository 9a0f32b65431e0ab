// Loading a package from a folder or from memory (package-format section 2).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <wgk/package.hpp>
#include <wgk/status.hpp>

#include "package/model.h"

namespace wgk::package {

/// Gives the bytes of files below build/webgpu/. Implementations: a directory and memory (sources.h).
class Source {
 public:
  virtual ~Source() = default;
  /// Reads a whole file of at most `limit` bytes. The error's message is complete but for the package's name in front:
  /// "cannot read build/webgpu/x: reason", "x is n bytes; the limit is m" or "x resolves outside the package".
  virtual Result<std::string> read(std::string_view path, std::uint64_t limit) const = 0;
};

/// `name`, as the caller gave it, stands in messages. `repository_name` is the name part of an "org/name" reference,
/// empty otherwise. `folder` is where the package lies, empty for one in memory.
Result<std::shared_ptr<const LoadedPackage>> load_package(const Source& source, const std::string& name,
                                                          const LoadOptions& options,
                                                          std::string_view repository_name = {},
                                                          std::string folder = {});

/// The same from a manifest text and templates alone: no metadata, no digests; the dialect is told by `inputs`.
Result<std::shared_ptr<const LoadedPackage>> load_unverified(std::string_view manifest,
                                                             const std::map<std::string, std::string>& templates,
                                                             std::string location);

}  // namespace wgk::package
