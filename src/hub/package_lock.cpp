// wgk.lock: reading, writing, looking up and comparing.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include <wgk/hub.hpp>

#include "base/json.h"
#include "base/try.h"
#include "hub/cache.h"
#include "hub/reference.h"
#include "package/identifiers.h"
#include "package/model.h"
#include "package/node.h"

namespace wgk::hub {
namespace {

using base::Json;

constexpr int kLockVersion = 1;
constexpr std::uintmax_t kMaxLockBytes = 16u << 20;

Error bad(std::string_view pointer, std::string_view reason) {
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", pointer.empty() ? "/" : pointer, reason)};
}

/// 44 characters: base64 of 32 bytes.
bool is_digest(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == 44 && text.back() == '=' && std::all_of(text.begin(), text.end() - 1, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
         });
}

Status known_keys(const Json& object, const std::string& pointer, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::vector<std::string_view> names(known);
    return bad(base::pointer_child(pointer, key), fmt::format("unknown key{}", package::suggestion(key, names)));
  }
  return {};
}

Result<LockedPackage> read_entry(const Json& json, const std::string& pointer) {
  if (!json.is_object()) return bad(pointer, "must be an object with \"revision\" and \"files\"");
  WGK_CHECK(known_keys(json, pointer, {"revision", "files"}));
  LockedPackage out;
  const auto revision = json.find("revision");
  if (revision == json.end() || !revision->is_string() || !is_commit(revision->get_ref<const std::string&>())) {
    return bad(pointer + "/revision", "must be the 40 hexadecimal digits of a commit");
  }
  out.revision = revision->get<std::string>();
  const auto files = json.find("files");
  if (files == json.end() || !files->is_object()) return bad(pointer + "/files", "must be an object: path, digest");
  for (const auto& [path, digest] : files->items()) {
    const std::string place = base::pointer_child(pointer + "/files", path);
    if (!package::is_canonical_path(path)) return bad(place, "is no path below build/webgpu/");
    if (!is_digest(digest)) return bad(place, "must be the base64 of a SHA-256");
    out.digests.emplace(path, digest.get<std::string>());
  }
  if (out.digests.count(kMetadataName) == 0) return bad(pointer + "/files", "must list metadata.json");
  return out;
}

Result<PackageLock> read_lock(const Json& json) {
  if (!json.is_object()) return bad("", "must be an object");
  WGK_CHECK(known_keys(json, "", {"lockVersion", "packages"}));
  const auto version = json.find("lockVersion");
  if (version == json.end() || *version != kLockVersion) {
    return bad("/lockVersion", fmt::format("must be {}; another version was written by another wgk", kLockVersion));
  }
  const auto packages = json.find("packages");
  if (packages == json.end() || !packages->is_object()) return bad("/packages", "must be an object");
  PackageLock lock;
  for (const auto& [text, entry] : packages->items()) {
    const std::string pointer = base::pointer_child("/packages", text);
    const std::size_t at = text.find('@');
    if (at == std::string::npos) return bad(pointer, "must be owner/name@revision");
    const auto reference = parse_reference(text.substr(0, at), {0, text.substr(at + 1)});
    if (!reference) return bad(pointer, reference.error().message);
    WGK_TRY(LockedPackage locked, read_entry(entry, pointer));
    lock.packages.emplace(reference->text(), std::move(locked));
  }
  return lock;
}

/// The paths whose digests differ, as words; empty when there are none.
std::string differences(const std::map<std::string, std::string>& locked,
                        const std::map<std::string, std::string>& actual) {
  std::set<std::string> paths;
  for (const auto& [path, digest] : locked) {
    const auto found = actual.find(path);
    if (found == actual.end() || found->second != digest) paths.insert(path);
  }
  for (const auto& entry : actual) {
    if (locked.count(entry.first) == 0) paths.insert(entry.first);
  }
  std::string out;
  std::size_t shown = 0;
  for (const std::string& path : paths) {
    if (++shown > 5) return out + fmt::format(" and {} more", paths.size() - 5);
    out += (out.empty() ? "" : ", ") + path;
  }
  return out;
}

}  // namespace

Status check_digests(const std::string& what, const LockedPackage& locked,
                     const std::map<std::string, std::string>& digests) {
  const std::string differing = differences(locked.digests, digests);
  if (differing.empty()) return {};
  return Error{ErrorCode::kCheckFailed,
               fmt::format("{} is not what the lock file says: {} differ{}; if the change is meant, run wgk lock", what,
                           differing, differing.find(',') == std::string::npos ? "s" : "")};
}

}  // namespace wgk::hub

namespace wgk::inline v0 {

Result<PackageLock> PackageLock::parse(std::string_view text) {
  WGK_TRY(const base::Json json, base::parse_json(text, ErrorCode::kUsage));
  return hub::read_lock(json);
}

Result<PackageLock> PackageLock::read(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: {}; wgk lock REF… writes a lock file", file.string(), error.message())};
  }
  if (size > hub::kMaxLockBytes) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is {} bytes; the limit is {}", file.string(), size, hub::kMaxLockBytes)};
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return Error{ErrorCode::kUsage, fmt::format("{}: cannot be read", file.string())};
  auto lock = parse(text);
  if (lock) return lock;
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", file.string(), lock.error().message)};
}

std::string PackageLock::to_json() const {
  base::Json json = {{"lockVersion", hub::kLockVersion}, {"packages", base::Json::object()}};
  for (const auto& [text, locked] : packages) {
    json["packages"][text] = {{"revision", locked.revision}, {"files", locked.digests}};
  }
  return json.dump(2) + "\n";
}

const LockedPackage* PackageLock::find(const PackageReference& reference) const {
  if (const auto found = packages.find(reference.text()); found != packages.end()) return &found->second;
  if (!reference.is_pinned()) return nullptr;
  for (const auto& [text, locked] : packages) {
    if (locked.revision == reference.revision && text.starts_with(reference.repository() + "@")) return &locked;
  }
  return nullptr;
}

Status PackageLock::check(const Package& package) const {
  Status first;
  bool known = false;
  for (const auto& [text, locked] : packages) {
    const std::size_t slash = text.find('/');
    if (text.substr(slash + 1, text.find('@') - slash - 1) != package.op()) continue;
    LockedPackage files = locked;
    files.digests.erase(hub::kMetadataName);  // of a loaded package only the digests that it lists are known
    Status status =
        hub::check_digests(fmt::format("{} at {}", package.op(), package.location()), files, package.impl()->digests);
    if (status) return {};
    if (!known) first = std::move(status);
    known = true;
  }
  return first;
}

}  // namespace wgk::inline v0
