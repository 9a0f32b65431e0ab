// Finding a package by folder or id: WGK_KERNELS_PATH, the installation, the build tree.
#include "package/locate.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include <fmt/format.h>

#include "package/identifiers.h"
#include "package/node.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

void add_installation(std::vector<fs::path>& out, const fs::path& binary) {
  // bin/wgk and lib/libwgk.so stand one level below the prefix, lib/<triplet>/libwgk.so two.
  for (const char* up : {"..", "../.."}) {
    const fs::path kernels = (binary.parent_path() / up / "share/wgk/kernels").lexically_normal();
    if (is_folder(kernels)) out.push_back(kernels);
  }
}

std::vector<fs::path> override_places() {
  std::vector<fs::path> out;
  const char* listed = std::getenv("WGK_KERNELS_PATH");
  std::string_view rest = listed != nullptr ? listed : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    if (const auto part = rest.substr(0, colon); !part.empty()) out.emplace_back(part);
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return out;
}

std::vector<fs::path> installed_places() {
  std::vector<fs::path> out;
  std::error_code error;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !error) add_installation(out, self);
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&is_canonical_path), &info) != 0 && info.dli_fname != nullptr) {
    if (const fs::path library = fs::canonical(info.dli_fname, error); !error) add_installation(out, library);
  }
#ifdef WGK_DEFAULT_KERNELS_DIR
  out.emplace_back(WGK_DEFAULT_KERNELS_DIR);
#endif
  return out;
}

std::vector<fs::path> search_path() {
  std::vector<fs::path> out = override_places();
  const std::vector<fs::path> installed = installed_places();
  out.insert(out.end(), installed.begin(), installed.end());
  return out;
}

bool is_id(std::string_view name) {
  return is_canonical_path(std::string(name)) && name.find('/') == std::string_view::npos && name != ".";
}

/// Constant-initialised, so that a registration before main() finds it ready.
constinit std::atomic<ReferenceLoader> registered_loader{nullptr};

std::vector<std::string> known_ids(const std::vector<fs::path>& places) {
  std::vector<std::string> ids;
  for (const fs::path& place : places) {
    std::error_code error;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
      ids.push_back(entry->path().filename().string());
    }
  }
  return ids;
}

}  // namespace

Result<Located> locate(std::string_view location) {
  // A path ends at its first NUL: with one, another folder than the one that is named would be read.
  const bool is_path = !location.empty() && location.find('\0') == std::string_view::npos;
  const fs::path path(is_path ? location : std::string_view{});
  if (is_path && is_folder(path / "build" / "webgpu")) return Located{path, path / "build" / "webgpu", {}, {}};
  if (is_path && is_folder(path) && (is_file(path / "metadata.json") || is_file(path / "manifest.json"))) {
    return Located{path, path, {}, {}};
  }
  const auto slash = location.find('/');
  if (slash != std::string_view::npos && is_canonical_path(std::string(location.substr(slash + 1))) &&
      location.substr(0, slash) != kTrustedOwner && location.find('/', slash + 1) == std::string_view::npos) {
    return Error{ErrorCode::kPackage,
                 fmt::format("{}: no such folder, and only packages of {} are found by a repository id",
                             printable(location), kTrustedOwner)};
  }
  const std::string name(slash == std::string_view::npos ? location : location.substr(slash + 1));
  const bool may_be_id = is_id(name);
  const std::vector<fs::path> places = search_path();
  std::string searched;
  for (const fs::path& place : places) {
    searched += fmt::format("{}{}", searched.empty() ? "" : ", ", place.string());
    if (!may_be_id || !is_folder(place / name / "build" / "webgpu")) continue;
    Located found{place / name, place / name / "build" / "webgpu", {}, {}};
    (slash == std::string_view::npos ? found.op : found.repository_name) = name;
    return found;
  }
  return Error{ErrorCode::kPackage,
               fmt::format("{}: no folder with build/webgpu/, and no package of that id{} (searched: {})",
                           printable(location), may_be_id ? suggestion(name, known_ids(places)) : "",
                           searched.empty() ? "nothing; set WGK_KERNELS_PATH" : searched)};
}

std::optional<fs::path> find_by_id(std::string_view id, Places places) {
  if (!is_id(id)) return std::nullopt;
  for (const fs::path& place : places == Places::kOverride ? override_places() : installed_places()) {
    if (is_folder(place / id / "build" / "webgpu")) return place / id;
  }
  return std::nullopt;
}

bool is_reference(std::string_view location) {
  const std::string_view repository = location.substr(0, location.find('@'));
  const std::size_t slash = repository.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == repository.size()) return false;
  if (repository.find('/', slash + 1) != std::string_view::npos || repository.front() == '.') return false;
  return location.find('\0') == std::string_view::npos && !is_folder(fs::path(location));
}

void set_reference_loader(ReferenceLoader loader) { registered_loader = loader; }
ReferenceLoader reference_loader() { return registered_loader; }

}  // namespace wgk::package
