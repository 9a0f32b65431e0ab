// Computes metadata.json. The text depends on the bytes of the other files and on what the old metadata.json says of
// version and license, so that packing twice changes nothing.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <wgk/pack.hpp>

#include "base/json.h"
#include "base/sha256.h"
#include "base/try.h"
#include "package/identifiers.h"
#include "package/load.h"
#include "package/node.h"
#include "package/pack_files.h"
#include "package/sources.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr std::int64_t kFirstVersion = 1;
constexpr const char* kDefaultLicense = "apache-2.0";

Error bad(std::string_view where, std::string_view reason) {
  return Error{ErrorCode::kPackage, fmt::format("{}: {}", where, reason)};
}

Result<Files> read_files(const fs::path& root, const std::string& where) {
  WGK_TRY(const std::vector<std::string> names, list_files(root));
  Files files;
  PackedFileReader reader(root);
  for (const std::string& name : names) {
    if (!is_canonical_path(name)) {
      return bad(where, fmt::format("\"{}\" cannot be listed in metadata.json: a path has letters, digits, '.', '_', "
                                    "'-' and '/' only; rename or remove the file",
                                    printable(name)));
    }
    auto bytes = reader.read(name);
    if (!bytes) return bad(where, bytes.error().message);
    files.emplace(name, *std::move(bytes));
  }
  return files;
}

Json digests_of(const Files& files) {
  Json digests = Json::object();
  for (const auto& [name, bytes] : files) digests[name] = base::sha256_base64(bytes);
  return digests;
}

/// The content address that the id ends with: of the digests, in the spelling of Python's json.dumps.
std::string content_id(const Json& digests) {
  std::string text;
  for (const auto& [name, digest] : digests.items()) {
    text += fmt::format("{}\"{}\": \"{}\"", text.empty() ? "" : ", ", name, digest.get_ref<const std::string&>());
  }
  return base::sha256_hex("{" + text + "}").substr(0, 7);
}

std::string package_id(const std::string& op, const Json& digests) {
  std::string name;
  for (const char c : op) name += c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fmt::format("_{}_webgpu_{}", name, content_id(digests));
}

Result<Json> variants_of(const Manifest& manifest, const Files& files) {
  Json variants = Json::object();
  for (const Variant& variant : manifest.variants) {
    WGK_TRY(variants[variant.id], needed_templates(variant, files));
  }
  return variants;
}

/// What the author wrote into the old file; an unreadable one counts as none, for packing is what repairs it.
Json old_metadata(const fs::path& root) {
  const auto text = read_contained(root, "metadata.json", limits::kMaxPackedFileBytes);
  if (!text) return Json::object();
  auto json = base::parse_json(*text, ErrorCode::kPackage);
  return json && json->is_object() ? *std::move(json) : Json::object();
}

Json object_or_empty(const Json& parent, const char* key) {
  const auto found = parent.find(key);
  return found != parent.end() && found->is_object() ? *found : Json::object();
}

/// The keys that are ours first, in a fixed order; then the author's own.
Json merged(const Json& old, const LoadedPackage& loaded, const Json& digests, Json variants) {
  Json json;
  json["name"] = loaded.manifest.op;
  json["id"] = package_id(loaded.manifest.op, digests);
  const auto version = old.find("version");
  json["version"] = version != old.end() && version->is_number_integer() ? *version : Json(kFirstVersion);
  const auto license = old.find("license");
  json["license"] = license != old.end() && license->is_string() ? *license : Json(kDefaultLicense);
  json["backend"] = {{"type", "webgpu"}};
  json["digest"] = {{"algorithm", "sha256"}, {"files", digests}};
  json["webgpu"] = {{"manifestSpec", loaded.spec}};
  if (loaded.spec == "2.1") json["webgpu"]["variants"] = std::move(variants);
  const Json old_webgpu = object_or_empty(old, "webgpu");
  for (const auto& [key, value] : old_webgpu.items()) {
    if (key != "variants" && !json["webgpu"].contains(key)) json["webgpu"][key] = value;
  }
  for (const auto& [key, value] : old.items()) {
    if (!json.contains(key)) json[key] = value;
  }
  return json;
}

Status replace_file(const fs::path& target, const std::string& text) {
  const auto failed = [&](const std::string& reason) {
    return Error{ErrorCode::kUsage, fmt::format("{}: {}", target.string(), reason)};
  };
  fs::path sibling = target;
  sibling += fmt::format(".{}.tmp", base::sha256_hex(text).substr(0, 12));
  std::error_code error;
  {
    std::ofstream out(sibling, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) {
      fs::remove(sibling, error);
      return failed("cannot be written");
    }
  }
  fs::rename(sibling, target, error);
  if (!error) return {};
  const std::string reason = error.message();
  fs::remove(sibling, error);
  return failed(reason);
}

/// "inputs" tells the dialect, as everywhere; the templates are whatever files are named so.
Result<std::shared_ptr<const LoadedPackage>> load_contents(const Files& files, const std::string& where) {
  const auto manifest = files.find("manifest.json");
  if (manifest == files.end()) return bad(where, "cannot read build/webgpu/manifest.json: no such file");
  Files templates;
  for (const auto& [name, bytes] : files) {
    if (is_template_path(name)) templates.emplace(name, bytes);
  }
  return load_unverified(manifest->second, templates, where);
}

Status check_result(const Files& files, const std::string& metadata, const std::string& where) {
  Files all = files;
  all["metadata.json"] = metadata;
  const auto loaded = load_package(MemorySource(all), where, LoadOptions{});
  return loaded ? Status() : Status(loaded.error());
}

}  // namespace
}  // namespace wgk::package

namespace wgk::inline v0 {

Result<Packed> pack_package(std::string_view folder, const PackOptions& options) {
  using namespace package;
  const std::string where(folder);
  WGK_TRY(const fs::path root, webgpu_folder(folder));
  WGK_TRY(const Files files, read_files(root, where));
  WGK_TRY(const auto loaded, load_contents(files, where));
  WGK_TRY(Json variants, variants_of(loaded->manifest, files));
  const Json metadata = merged(old_metadata(root), *loaded, digests_of(files), std::move(variants));

  Packed packed;
  packed.op = loaded->manifest.op;
  packed.file = (root / "metadata.json").string();
  packed.metadata = metadata.dump(2, ' ', true) + "\n";
  WGK_CHECK(check_result(files, packed.metadata, where));
  const auto current = read_contained(root, "metadata.json", limits::kMaxPackedFileBytes);
  packed.changed = !current || *current != packed.metadata;
  if (packed.changed && options.write) WGK_CHECK(replace_file(root / "metadata.json", packed.metadata));
  return packed;
}

}  // namespace wgk::inline v0
