// Loading a package: every check of package-format 2.2 in its order. Bytes are read once; the same bytes are hashed and
// used.
#include "package/load.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/json.h"
#include "base/sha256.h"
#include "base/try.h"
#include "package/identifiers.h"
#include "package/metadata.h"
#include "package/parts.h"
#include "package/v1/read_v1.h"
#include "package/v2/read_v2.h"

namespace wgk::package {
namespace {

Error fail(const std::string& package, std::string_view text) {
  return Error{ErrorCode::kPackage, fmt::format("{}: {}", package, text)};
}

Result<Manifest> parse_manifest(std::string_view text, const std::string& package, std::string_view spec,
                                std::vector<std::string>& warnings, std::string& used_spec) {
  auto document = parse_document(text);
  if (!document.ok()) {
    return Error{ErrorCode::kPackage, parse_failure(package, "manifest.json", document.error().message)};
  }
  if (!document->root.is_map()) {
    return Error{ErrorCode::kPackage, parse_failure(package, "manifest.json", "not an object")};
  }
  WGK_CHECK(remove_comments(*document));
  const Tree::Member* inputs = document->root.find("inputs");
  used_spec = spec;
  if (spec.empty()) used_spec = inputs != nullptr && inputs->value.is_map() ? "2.1" : "1.0";
  return used_spec == "2.1" ? v2::read_manifest(*document, warnings) : v1::read_manifest(*document, warnings);
}

/// Rows 16 and 17: metadata and manifest must agree on the templates.
Status check_templates(const Metadata& metadata, const Manifest& manifest, const std::string& package) {
  std::set<std::string_view> declared;
  for (const Variant& variant : manifest.variants) {
    declared.insert(variant.id);
    const auto listed = std::find_if(metadata.variants.begin(), metadata.variants.end(),
                                     [&](const auto& entry) { return entry.first == variant.id; });
    if (metadata.spec == "2.1" && listed == metadata.variants.end()) {
      return fail(package, fmt::format("metadata webgpu.variants does not list variant {}, which the manifest declares",
                                       variant.id));
    }
    const auto check_pass = [&](const Pass& pass) -> Status {
      if (metadata.spec == "1.0") {
        if (metadata.digests.count(pass.shader) > 0) return {};
        return fail(package,
                    fmt::format("variant {} pass {} renders {}, which is not a template in metadata.digest.files",
                                variant.id, printable(pass.id), pass.shader));
      }
      const auto& files = listed->second;
      if (std::find(files.begin(), files.end(), pass.shader) != files.end()) return {};
      return fail(package,
                  fmt::format("metadata webgpu.variants lists variant {} without {}, which its pass {} renders",
                              variant.id, pass.shader, printable(pass.id)));
    };
    const auto check_steps = [&](const auto& self, const std::vector<Step>& steps) -> Status {
      for (const Step& step : steps) {
        if (const auto* group = std::get_if<RepeatGroup>(&step.node)) {
          WGK_CHECK(self(self, group->steps));
        } else {
          WGK_CHECK(check_pass(std::get<Pass>(step.node)));
        }
      }
      return {};
    };
    WGK_CHECK(check_steps(check_steps, variant.steps));
  }
  for (const auto& entry : metadata.variants) {
    if (declared.count(entry.first) == 0) {
      return fail(package, fmt::format("metadata webgpu.variants lists variant {}, which the manifest does not declare",
                                       entry.first));
    }
  }
  return {};
}

Status check_names(const Metadata& metadata, const Manifest& manifest, const std::string& package,
                   std::string_view repository_name, const LoadOptions& options) {
  if (metadata.name != manifest.op) {
    return fail(package, fmt::format("metadata name {} does not match the manifest op id {}", printable(metadata.name),
                                     printable(manifest.op)));
  }
  if (!repository_name.empty() && repository_name != manifest.op) {
    return fail(package, fmt::format("repo basename {} does not match the manifest op id {}", repository_name,
                                     printable(manifest.op)));
  }
  if (!options.expected_op.empty() && options.expected_op != manifest.op) {
    return fail(package,
                fmt::format("expected op id {}, artifact provides {}", options.expected_op, printable(manifest.op)));
  }
  return {};
}

/// One file, digest-checked with the very bytes that are used afterwards.
Result<std::string> read_checked(const Source& source, const std::string& path, std::uint64_t limit,
                                 const Metadata& metadata, const std::string& package, bool verify) {
  auto bytes = source.read(path, limit);
  if (!bytes.ok()) return fail(package, bytes.error().message);
  if (!verify) return bytes;
  const std::string digest = base::sha256_base64(*bytes);
  if (metadata.digests.at(path) == digest) return bytes;
  return fail(package, fmt::format("{} does not match metadata.digest.files (got {})", path, digest));
}

/// Counts the templates of a package: thousands of names may lead to one file, or include one.
class TemplateBudget {
 public:
  Status spend(std::size_t bytes) {
    left_ = bytes > left_ ? 0 : left_ - bytes;
    if (left_ > 0) return {};
    return Error{ErrorCode::kPackage,
                 fmt::format("the templates are more than {} bytes in all", limits::kMaxPackageTemplateBytes)};
  }

 private:
  std::size_t left_ = limits::kMaxPackageTemplateBytes + 1;
};

void expand_templates(LoadedPackage& loaded, const std::map<std::string, Error>& unreadable) {
  TemplateBudget budget;
  const jinja::IncludeLoader include = [&](const std::string& path) -> Result<std::string> {
    if (const auto file = loaded.files.find(path); file != loaded.files.end()) {
      WGK_CHECK(budget.spend(file->second.text.size()));
      return file->second.text;
    }
    if (const auto error = unreadable.find(path); error != unreadable.end()) return error->second;
    return Error{ErrorCode::kPackage, fmt::format("WebGPU template asset is missing: {}", printable(path))};
  };
  for (const Variant& variant : loaded.manifest.variants) {
    for (const std::string& shader : variant.templates) {
      if (loaded.templates.find(shader) != loaded.templates.end()) continue;
      loaded.templates.try_emplace(shader, jinja::expand_includes(shader, include), shader);
    }
  }
}

}  // namespace

Result<std::shared_ptr<const LoadedPackage>> load_package(const Source& source, const std::string& name,
                                                          const LoadOptions& options, std::string_view repository_name,
                                                          std::string folder) {
  auto metadata_text = source.read("metadata.json", limits::kMaxMetadataBytes);
  if (!metadata_text.ok()) {
    const std::string& reason = metadata_text.error().message;
    const std::string prefix = "cannot read build/webgpu/metadata.json: ";
    return fail(name, reason.starts_with(prefix) ? reason : prefix + reason);
  }
  WGK_TRY(const Metadata metadata, parse_metadata(*metadata_text, name));
  WGK_TRY(const std::string manifest_text,
          read_checked(source, "manifest.json", limits::kMaxManifestBytes, metadata, name, options.verify_digests));
  auto loaded = std::make_shared<LoadedPackage>();
  loaded->location = folder.empty() ? name : folder;
  loaded->folder = std::move(folder);
  WGK_TRY(loaded->manifest, parse_manifest(manifest_text, name, metadata.spec, loaded->warnings, loaded->spec));
  WGK_CHECK(check_names(metadata, loaded->manifest, name, repository_name, options));
  WGK_CHECK(check_templates(metadata, loaded->manifest, name));
  loaded->license = metadata.license;
  loaded->version = metadata.version;
  loaded->digests = metadata.digests;

  std::map<std::string, Error> unreadable;
  TemplateBudget budget;
  for (const auto& entry : metadata.digests) {
    const std::string& path = entry.first;
    if (!is_template_path(path)) continue;
    auto text = read_checked(source, path, limits::kMaxTemplateBytes, metadata, name, options.verify_digests);
    if (text.ok()) {
      if (const Status status = budget.spend(text->size()); !status.ok()) return fail(name, status.error().message);
      loaded->files.emplace(path, TemplateFile{path, *std::move(text)});
    } else if (options.require_all_templates) {
      return text.error();
    } else {
      unreadable.emplace(path, text.error());
    }
  }
  expand_templates(*loaded, unreadable);
  return std::shared_ptr<const LoadedPackage>(std::move(loaded));
}

Result<std::shared_ptr<const LoadedPackage>> load_unverified(std::string_view manifest,
                                                             const std::map<std::string, std::string>& templates,
                                                             std::string location) {
  if (manifest.size() > limits::kMaxManifestBytes) {
    return fail(location,
                fmt::format("manifest.json is {} bytes; the limit is {}", manifest.size(), limits::kMaxManifestBytes));
  }
  auto loaded = std::make_shared<LoadedPackage>();
  loaded->location = location;
  WGK_TRY(loaded->manifest, parse_manifest(manifest, location, "", loaded->warnings, loaded->spec));
  for (const auto& [path, text] : templates) {
    if (text.size() > limits::kMaxTemplateBytes) {
      return fail(location,
                  fmt::format("{} is {} bytes; the limit is {}", path, text.size(), limits::kMaxTemplateBytes));
    }
    loaded->files.emplace(path, TemplateFile{path, text});
  }
  expand_templates(*loaded, {});
  return std::shared_ptr<const LoadedPackage>(std::move(loaded));
}

}  // namespace wgk::package
