// get_kernel: a reference, a version and a device in one call.
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <wgk/kernel.hpp>

#include "base/try.h"
#include "package/model.h"

namespace wgk::inline v0 {
namespace {

/// "org/name" as on the Hub, and not a folder that happens to be spelled so.
bool is_repository_reference(std::string_view reference) {
  const std::size_t slash = reference.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == reference.size()) return false;
  if (reference.find('/', slash + 1) != std::string_view::npos || reference.front() == '.') return false;
  std::error_code ignored;
  return !std::filesystem::is_directory(std::filesystem::path(reference), ignored);
}

Status check_version(const package::LoadedPackage& package, std::string_view reference, int wanted) {
  if (wanted == 0) return {};
  if (!package.version) {
    return Error{ErrorCode::kPackage,
                 fmt::format("{}: version {} was asked for, but metadata.json has no version", reference, wanted)};
  }
  if (*package.version == wanted) return {};
  return Error{ErrorCode::kPackage, fmt::format("{}: version {} was asked for, but the package at {} has version {}",
                                                reference, wanted, package.location, *package.version)};
}

Result<Kernel> find_kernel(std::string_view reference, const GetKernelOptions& options) {
  if (options.version < 0) {
    return Error{ErrorCode::kUsage, fmt::format("{}: version {} must be >= 1", reference, options.version)};
  }
  if (is_repository_reference(reference) && options.version == 0) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: a version is required, for example {{.version = 1}}: without one, the contract of "
                             "the operator could change under the program",
                             reference)};
  }
  WGK_TRY(Package package, Package::load(reference));
  WGK_CHECK(check_version(*package.impl(), reference, options.version));
  WGK_TRY(Device device, Device::open(options.device));
  return Kernel(std::move(device), std::move(package));
}

}  // namespace

Kernel get_kernel(std::string_view reference, const GetKernelOptions& options) {
  return find_kernel(reference, options).value();
}

}  // namespace wgk::inline v0
