// metadata.json: identity and digests, checked in the order that fixes which error comes first.
#include "package/metadata.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/try.h"
#include "package/identifiers.h"
#include "package/node.h"

namespace wgk::package {
namespace {

/// The member of an object, or nullptr for anything else.
const Json* member(const Json* object, std::string_view key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  for (const auto& [name, value] : object->get_ref<const Json::object_t&>()) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string bare_text(const Json* json) {
  if (json != nullptr && json->is_string()) return printable(json->get_ref<const std::string&>());
  return json_text(json);
}

bool is_spec_version(std::string_view text) {
  const auto dot = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return dot != std::string_view::npos && digits(text.substr(0, dot)) && digits(text.substr(dot + 1));
}

class Reader {
 public:
  Reader(const Json& root, const std::string& package) : root_(root), package_(package) {}

  Result<Metadata> read() {
    WGK_CHECK(read_spec());
    WGK_CHECK(read_digests());
    if (out_.spec == "2.1") WGK_CHECK(read_variants());
    const Json* name = member(&root_, "name");
    out_.name = name != nullptr && name->is_string() ? name->get<std::string>() : json_text(name);
    if (const Json* license = member(&root_, "license"); license != nullptr && license->is_string()) {
      out_.license = license->get<std::string>();
    }
    if (const Json* version = member(&root_, "version"); version != nullptr && version->is_number_unsigned()) {
      if (version->get<std::uint64_t>() <= INT32_MAX) out_.version = version->get<std::int64_t>();
    }
    return std::move(out_);
  }

 private:
  Error fail(std::string_view text) const { return Error{ErrorCode::kPackage, fmt::format("{}: {}", package_, text)}; }

  Status read_spec() {
    const Json* type = member(member(&root_, "backend"), "type");
    if (type == nullptr || *type != Json("webgpu")) {
      return fail(fmt::format("metadata backend.type is {}, not \"webgpu\"", json_text(type)));
    }
    const Json* spec = member(member(&root_, "webgpu"), "manifestSpec");
    const std::string text = bare_text(spec);
    if (spec == nullptr || !spec->is_string() || !is_spec_version(text)) {
      return fail(fmt::format("manifest spec version \"{}\" is not \"<major>.<minor>\"", text));
    }
    if (text != "1.0" && text != "2.1") {
      return fail(
          fmt::format("manifest spec {} is not supported by this runtime (supports 1.0, 2.1). The artifact was "
                      "packed for a different pre-release manifest contract.",
                      text));
    }
    out_.spec = text;
    return {};
  }

  Status read_digests() {
    const Json* digest = member(&root_, "digest");
    const Json* algorithm = member(digest, "algorithm");
    if (algorithm == nullptr || *algorithm != Json("sha256")) {
      return fail(fmt::format("metadata digest.algorithm is {}, not \"sha256\"", json_text(algorithm)));
    }
    const Json* files = member(digest, "files");
    if (files == nullptr || !files->is_object()) return fail("metadata digest.files is not a record");
    for (const auto& [path, value] : files->get_ref<const Json::object_t&>()) {
      if (!is_canonical_path(path)) {
        return fail(fmt::format("metadata digest path \"{}\" is not a canonical relative path", printable(path)));
      }
      if (!value.is_string()) return fail(fmt::format("metadata digest for {} is not a string", path));
      out_.digests.emplace(path, value.get<std::string>());
    }
    if (out_.digests.count("manifest.json") == 0) return fail("metadata digest.files does not include manifest.json");
    return {};
  }

  Status read_variants() {
    const std::string what = "metadata webgpu.variants";
    const Json* variants = member(member(&root_, "webgpu"), "variants");
    if (variants == nullptr || !variants->is_object()) {
      return fail(what + " is not a record of variant id -> template paths");
    }
    for (const auto& [id, list] : variants->get_ref<const Json::object_t&>()) {
      if (!is_variant_id(id))
        return fail(fmt::format("{} names \"{}\", which is not a variant id", what, printable(id)));
      if (!list.is_array() || list.empty()) {
        return fail(fmt::format("{}[{}] is not a non-empty list of template paths", what, id));
      }
      std::vector<std::string> paths;
      for (const Json& path : list) {
        if (!path.is_string() || !is_template_path(path.get_ref<const std::string&>()) ||
            out_.digests.count(path.get_ref<const std::string&>()) == 0) {
          return fail(fmt::format("{}[{}] lists \"{}\", which is not a template in metadata.digest.files", what, id,
                                  bare_text(&path)));
        }
        paths.push_back(path.get<std::string>());
      }
      out_.variants.emplace_back(id, std::move(paths));
    }
    if (out_.variants.empty()) return fail(what + " lists no variant");
    return {};
  }

  const Json& root_;
  const std::string& package_;
  Metadata out_;
};

}  // namespace

std::string parse_failure(const std::string& package, std::string_view file, const std::string& reason) {
  const bool limit = reason.starts_with("duplicate key ") || reason.starts_with("invalid text") ||
                     reason.starts_with("JSON nesting exceeds ");
  return fmt::format("{}: {}{}: {}", package, file, limit ? "" : " does not parse", printable(reason, 500));
}

Result<Metadata> parse_metadata(std::string_view text, const std::string& package) {
  const auto json = base::parse_json(text, ErrorCode::kPackage);
  if (!json.ok()) return Error{ErrorCode::kPackage, parse_failure(package, "metadata.json", json.error().message)};
  if (!json->is_object()) return Error{ErrorCode::kPackage, parse_failure(package, "metadata.json", "not an object")};
  return Reader(*json, package).read();
}

}  // namespace wgk::package
