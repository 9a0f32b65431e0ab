// The files of a package folder, as packing and verifying see them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/status.hpp>

#include "package/model.h"

namespace wgk::package {

/// The folder build/webgpu/ of `folder`, or `folder` itself when it holds manifest.json or metadata.json. Error:
/// kPackage.
Result<std::filesystem::path> webgpu_folder(std::string_view folder);

/// Paths below `root` of everything that is not a folder, metadata.json aside, sorted by bytes. Links are listed and
/// not followed. Error: kPackage.
Result<std::vector<std::string>> list_files(const std::filesystem::path& root);

/// Reads the files of a package one by one under the limits of each and of all together.
class PackedFileReader {
 public:
  explicit PackedFileReader(const std::filesystem::path& root) : root_(root) {}
  /// The error's message is complete but for the package's name in front.
  Result<std::string> read(const std::string& path);

 private:
  const std::filesystem::path& root_;
  std::uint64_t bytes_ = 0;
};

/// The templates that the passes of a variant render and all that these include, each once, in the order of first use.
/// `files` holds texts by path. Error: kPackage, for an include that is absent, circular or leaves the package.
Result<std::vector<std::string>> needed_templates(const Variant& variant,
                                                  const std::map<std::string, std::string>& files);

}  // namespace wgk::package
