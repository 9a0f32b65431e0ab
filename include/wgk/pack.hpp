// Making packages: metadata.json, and a first package to start from.
#pragma once

#include <string>
#include <string_view>

#include <wgk/export.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// What pack_package() would write, or wrote.
struct Packed {
  std::string op;
  std::string file;      ///< the path of metadata.json
  std::string metadata;  ///< its text
  bool changed = false;  ///< the file held something else, or did not exist
};

struct PackOptions {
  bool write = true;  ///< false: only say whether the file would change
};

/// Computes build/webgpu/metadata.json of the package in `folder` (or of `folder` itself, when that holds
/// manifest.json): name, digests of every other file, and in dialect 2.1 the templates of every variant, includes
/// among them. Version, license and keys of the author's own are kept from the file that is there. The package must
/// load with the result. The file is replaced at once: nobody sees half of it. Errors: kPackage, kUsage when it cannot
/// be written.
WGK_API Result<Packed> pack_package(std::string_view folder, const PackOptions& options = {});

/// Writes a small package that works into the new folder `directory`/`name` and returns its path. `name` is an operator
/// id such as "com.example.Scale"; without a domain it gets "local". Errors: kUsage for another spelling, for a folder
/// that exists, or when it cannot be written.
WGK_API Result<std::string> create_package(std::string_view name, std::string_view directory);

}  // namespace wgk::inline v0
