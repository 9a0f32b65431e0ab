// From what a caller names ("./rope", "ai.onnx.RotaryEmbedding") to a folder build/webgpu/.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <wgk/package.hpp>
#include <wgk/status.hpp>

namespace wgk::package {

struct Located {
  std::filesystem::path package;  ///< the package folder, or `folder` when that was named itself
  std::filesystem::path folder;   ///< the folder build/webgpu/
  std::string repository_name;    ///< the name part of "org/name"; empty for folders and bare ids
  std::string op;                 ///< the operator that a bare id asks for; empty otherwise
};

/// The owner of repositories whose packages are accepted by "owner/name".
inline constexpr std::string_view kTrustedOwner = "webgpu-kernels";

/// Folders win over ids. Error: kPackage with the places that were searched.
Result<Located> locate(std::string_view location);

/// Where packages are found by id.
enum class Places {
  kOverride,   ///< WGK_KERNELS_PATH, which its user set for this program
  kInstalled,  ///< the installation and the build tree
};
/// The package folder of an id in one kind of place.
std::optional<std::filesystem::path> find_by_id(std::string_view id, Places places);

/// Whether `location` is spelled "owner/name" or "owner/name@revision" and is no folder.
bool is_reference(std::string_view location);

/// Loads "owner/name@revision" from where this layer cannot reach: the Hub and its cache.
using ReferenceLoader = Result<std::shared_ptr<const LoadedPackage>> (*)(std::string_view reference,
                                                                         const LoadOptions& options);
/// The layer that can registers itself before main() where it is linked; null otherwise.
void set_reference_loader(ReferenceLoader loader);
ReferenceLoader reference_loader();

}  // namespace wgk::package
