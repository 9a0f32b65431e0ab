// Walks a package folder.
#include "package/pack_files.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "package/identifiers.h"
#include "package/node.h"
#include "package/sources.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;

std::uint64_t limit_of(const std::string& path) {
  if (path == "manifest.json") return limits::kMaxManifestBytes;
  if (path == "test.json") return limits::kMaxTestFileBytes;
  if (path == "bench.json") return limits::kMaxBenchFileBytes;
  return is_template_path(path) ? limits::kMaxTemplateBytes : limits::kMaxPackedFileBytes;
}

}  // namespace

Result<fs::path> webgpu_folder(std::string_view folder) {
  const fs::path path = fs::u8path(folder);
  std::error_code ignored;
  if (fs::is_directory(path / "build" / "webgpu", ignored)) return path / "build" / "webgpu";
  if (fs::exists(path / "manifest.json", ignored) || fs::exists(path / "metadata.json", ignored)) return path;
  return Error{ErrorCode::kPackage, fmt::format("{}: no folder with build/webgpu/manifest.json", printable(folder))};
}

Result<std::vector<std::string>> list_files(const fs::path& root) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_directory(error) && !entry->is_symlink(error)) continue;
    std::string name = entry->path().lexically_relative(root).generic_string();
    if (name == "metadata.json") continue;
    if (files.size() == limits::kMaxPackedFiles) {
      return Error{ErrorCode::kPackage, fmt::format("{}: more than {} files", root.string(), limits::kMaxPackedFiles)};
    }
    files.push_back(std::move(name));
  }
  if (error) return Error{ErrorCode::kPackage, fmt::format("{}: {}", root.string(), error.message())};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> PackedFileReader::read(const std::string& path) {
  auto bytes = read_contained(root_, path, limit_of(path));
  if (!bytes.ok()) return bytes;
  bytes_ += bytes->size();
  if (bytes_ <= limits::kMaxPackageBytes) return bytes;
  return Error{ErrorCode::kPackage,
               fmt::format("the files up to {} are more than {} bytes in all", path, limits::kMaxPackageBytes)};
}

Result<std::vector<std::string>> needed_templates(const Variant& variant,
                                                  const std::map<std::string, std::string>& files) {
  std::vector<std::string> needed;
  const auto load = [&](const std::string& name) -> Result<std::string> {
    const auto found = files.find(name);
    if (found == files.end()) {
      return Error{ErrorCode::kPackage, fmt::format("WebGPU template asset is missing: {}", printable(name))};
    }
    if (std::find(needed.begin(), needed.end(), name) == needed.end()) needed.push_back(name);
    return found->second;
  };
  for (const std::string& shader : variant.templates) {
    if (const auto text = jinja::expand_includes(shader, load); !text) return text.error();
  }
  return needed;
}

}  // namespace wgk::package
