// Digests both ways, and the template lists of metadata.json.
#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "package/identifiers.h"
#include "package/node.h"
#include "package/pack_files.h"
#include "package/sources.h"
#include "runtime/verify_parts.h"

namespace wgk::runtime {
namespace {

constexpr const char* kRepack = "; run wgk pack";

void compare(const std::string& path, const std::string& bytes, const package::Metadata& metadata, Findings& findings) {
  const std::string digest = base::sha256_base64(bytes);
  const auto listed = metadata.digests.find(path);
  if (listed == metadata.digests.end()) {
    findings.error("digest", fmt::format("{} is not listed in metadata.json{}", path, kRepack));
  } else if (listed->second != digest) {
    findings.error("digest", fmt::format("{} does not match metadata.json: it says {}, the file has {}{}", path,
                                         package::printable(listed->second, 60), digest, kRepack));
  }
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

PackageText verify_files(const std::filesystem::path& root, const package::Metadata* metadata, Findings& findings) {
  PackageText text{root, {}};
  const auto files = package::list_files(root);
  if (!files) {
    findings.error("digest", files.error().message);
    return text;
  }
  package::PackedFileReader reader(root);
  for (const std::string& path : *files) {
    if (!package::is_canonical_path(path)) {
      findings.error("digest", fmt::format("\"{}\" is not a path that metadata.json can list; rename or remove it",
                                           package::printable(path)));
      continue;
    }
    auto bytes = reader.read(path);
    if (!bytes) {
      findings.error("digest", bytes.error().message);
      continue;
    }
    if (metadata != nullptr) compare(path, *bytes, *metadata, findings);
    text.files.emplace(path, *std::move(bytes));
  }
  if (metadata == nullptr) return text;
  for (const auto& [path, digest] : metadata->digests) {
    if (!std::binary_search(files->begin(), files->end(), path)) {
      findings.error("digest", fmt::format("{} is listed in metadata.json and absent{}", path, kRepack));
    }
  }
  return text;
}

void verify_metadata_variants(const package::LoadedPackage& loaded, const package::Metadata& metadata,
                              const PackageText& text, Findings& findings) {
  if (loaded.spec != "2.1") return;
  for (const package::Variant& variant : loaded.manifest.variants) {
    const auto listed = std::find_if(metadata.variants.begin(), metadata.variants.end(),
                                     [&](const auto& entry) { return entry.first == variant.id; });
    const auto needed = package::needed_templates(variant, text.files);
    if (listed == metadata.variants.end() || !needed) continue;  // reported by loading
    for (const std::string& path : *needed) {
      if (contains(listed->second, path)) continue;
      findings.error("metadata", fmt::format("webgpu.variants.{} does not list {}, which its templates include{}",
                                             variant.id, path, kRepack));
    }
    for (const std::string& path : listed->second) {
      if (contains(*needed, path)) continue;
      findings.warning("metadata",
                       fmt::format("webgpu.variants.{} lists {}, which it does not need{}", variant.id, path, kRepack));
    }
  }
}

}  // namespace wgk::runtime
