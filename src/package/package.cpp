// wgk::Package: the public face of a loaded package. Package::plan lives with the planner.
#include <new>

#include <wgk/package.hpp>

#include "base/out_of_memory.h"
#include "package/contract.h"
#include "package/load.h"
#include "package/locate.h"
#include "package/node.h"
#include "package/sources.h"

namespace wgk::inline v0 {

Result<Package> Package::load(std::string_view location, const LoadOptions& options) try {
  if (location.find('@') != std::string_view::npos && package::is_reference(location)) {
    const package::ReferenceLoader loader = package::reference_loader();
    if (loader == nullptr) {
      return Error{ErrorCode::kPackage, package::printable(location) +
                                            ": this build of wgk cannot reach the Hub (WGK_WITH_HUB was off); name a "
                                            "folder, or the id of an installed package"};
    }
    auto loaded = loader(location, options);
    if (!loaded.ok()) return loaded.error();
    return Package(*std::move(loaded));
  }
  auto located = package::locate(location);
  if (!located.ok()) return located.error();
  LoadOptions effective = options;
  if (effective.expected_op.empty()) effective.expected_op = located->op;
  const package::DirectorySource source(located->folder);
  auto loaded = package::load_package(source, std::string(location), effective, located->repository_name,
                                      located->package.string());
  if (!loaded.ok()) return loaded.error();
  return Package(*std::move(loaded));
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kPackage)

Result<Package> Package::from_memory(const std::map<std::string, std::string>& files, std::string_view name,
                                     const LoadOptions& options) try {
  if (files.find("metadata.json") != files.end()) {
    auto loaded = package::load_package(package::MemorySource(files), std::string(name), options);
    if (!loaded.ok()) return loaded.error();
    return Package(*std::move(loaded));
  }
  const auto manifest = files.find("manifest.json");
  if (manifest == files.end()) {
    return Error{ErrorCode::kPackage, std::string(name) + ": cannot read build/webgpu/manifest.json: no such file"};
  }
  std::map<std::string, std::string> templates = files;
  templates.erase("manifest.json");
  auto loaded = package::load_unverified(manifest->second, templates, std::string(name));
  if (!loaded.ok()) return loaded.error();
  if (!options.expected_op.empty() && options.expected_op != (*loaded)->manifest.op) {
    return Error{ErrorCode::kPackage, std::string(name) + ": expected op id " + options.expected_op +
                                          ", artifact provides " + (*loaded)->manifest.op};
  }
  return Package(*std::move(loaded));
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kPackage)

const std::string& Package::op() const { return impl_->manifest.op; }
const std::string& Package::location() const { return impl_->location; }
const std::vector<std::string>& Package::warnings() const { return impl_->warnings; }
std::string Package::contract_json() const { return package::contract_json(*impl_); }
std::string Package::contract_markdown() const {
  return package::contract_markdown(*impl_, package::read_card_parts(*impl_));
}

}  // namespace wgk::inline v0
