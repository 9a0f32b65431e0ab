// From what a caller names ("./rope", "ai.onnx.RotaryEmbedding") to a folder build/webgpu/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <wgk/status.hpp>

namespace wgk::package {

struct Located {
  std::filesystem::path package;  ///< the package folder, or `folder` when that was named itself
  std::filesystem::path folder;   ///< the folder build/webgpu/
  std::string repository_name;    ///< the name part of "org/name"; empty for folders and bare ids
  std::string op;                 ///< the operator that a bare id asks for; empty otherwise
};

/// Folders win over ids. Error: kPackage with the places that were searched.
Result<Located> locate(std::string_view location);

}  // namespace wgk::package
