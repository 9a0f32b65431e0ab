// get_kernel: a reference, a version and a device in one call.
#include <string>
#include <utility>

#include <fmt/format.h>

#include <wgk/kernel.hpp>

#include "base/try.h"
#include "package/locate.h"
#include "package/model.h"

namespace wgk::inline v0 {
namespace {

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
  const bool is_repository = package::is_reference(reference) && reference.find('@') == std::string_view::npos;
  if (is_repository && options.version == 0) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: a version is required, for example {{.version = 1}}: without one, the contract of "
                             "the operator could change under the program",
                             reference)};
  }
  // With the Hub within reach the version names a branch; without, an installed package must have it.
  const bool by_branch = is_repository && package::reference_loader() != nullptr;
  WGK_TRY(Package package, Package::load(by_branch ? fmt::format("{}@v{}", reference, options.version)
                                                   : std::string(reference)));
  if (!by_branch) WGK_CHECK(check_version(*package.impl(), reference, options.version));
  WGK_TRY(Device device, Device::open(options.device));
  return Kernel(std::move(device), std::move(package));
}

}  // namespace

Kernel get_kernel(std::string_view reference, const GetKernelOptions& options) {
  return find_kernel(reference, options).value();
}

}  // namespace wgk::inline v0
