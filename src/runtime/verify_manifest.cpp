// The readers stop at the first violation. To find the others, the smallest part that can go without making the rest
// wrong is cut out, and the manifest is read again.
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "package/node.h"
#include "runtime/verify_parts.h"

namespace wgk::runtime {
namespace {

using base::Json;

constexpr int kMaxViolations = 50;

/// The JSON pointer that a reader's message names, and where it stands in it.
struct Place {
  std::string pointer;
  std::size_t begin = 0;
};

std::optional<Place> place_of(const std::string& message) {
  constexpr std::string_view kMark = " (manifest.json: ";
  const auto mark = message.rfind(kMark);
  if (mark == std::string::npos) return std::nullopt;
  const std::size_t begin = mark + kMark.size();
  const std::size_t line_end = std::min(message.find('\n', begin), message.size());
  if (line_end == begin || message[line_end - 1] != ')') return std::nullopt;
  return Place{message.substr(begin, line_end - 1 - begin), begin};
}

/// Cuts parts out of a manifest and remembers which members of `variants` are left.
class Pruner {
 public:
  explicit Pruner(Json manifest) : manifest_(std::move(manifest)) {
    const auto variants = manifest_.find("variants");
    if (variants == manifest_.end() || !variants->is_array()) return;
    for (std::size_t i = 0; i < variants->size(); ++i) variants_.push_back(i);
  }

  const Json& manifest() const { return manifest_; }

  /// `pointer` of the manifest as it is now, in terms of the whole one.
  std::string original(const std::string& pointer) const {
    const std::vector<std::string> parts = split(pointer);
    const auto index = variant_index(parts);
    if (!index) return pointer;
    std::string out = fmt::format("/variants/{}", variants_[*index]);
    for (std::size_t i = 2; i < parts.size(); ++i) out += "/" + parts[i];
    return out;
  }

  /// False when nothing can go.
  bool cut(const std::string& pointer, bool unknown_key) {
    const std::vector<std::string> parts = split(pointer);
    if (unknown_key) return erase(pointer);
    if (const auto index = variant_index(parts)) {
      // What remains may name the variant that went: such a violation is none.
      if (parts.back() == "supersededBy" && cut_a_variant_) return false;
      if (variants_.size() == 1) return false;
      manifest_["variants"].erase(*index);
      variants_.erase(variants_.begin() + static_cast<std::ptrdiff_t>(*index));
      return cut_a_variant_ = true;
    }
    const bool entry = parts.size() >= 2 && (parts[0] == "attributes" || parts[0] == "attributeConstraints" ||
                                             parts[0] == "tunables" || parts[0] == "derive");
    return entry && erase("/" + parts[0] + "/" + parts[1]);
  }

  /// Whether a violation may stem from the cutting itself.
  bool is_consequence(const std::string& pointer) const { return cut_a_variant_ && pointer.ends_with("/supersededBy"); }

 private:
  static std::vector<std::string> split(const std::string& pointer) {
    std::vector<std::string> parts;
    for (std::size_t at = 1; at <= pointer.size();) {
      const std::size_t end = std::min(pointer.find('/', at), pointer.size());
      parts.push_back(pointer.substr(at, end - at));
      at = end + 1;
    }
    if (parts.empty()) parts.emplace_back();
    return parts;
  }

  std::optional<std::size_t> variant_index(const std::vector<std::string>& parts) const {
    if (parts.size() < 2 || parts[0] != "variants" || parts[1].empty() || parts[1].size() > 6) return std::nullopt;
    if (parts[1].find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    const std::size_t index = std::stoul(parts[1]);
    return index < variants_.size() ? std::optional(index) : std::nullopt;
  }

  bool erase(const std::string& pointer) {
    const auto slash = pointer.rfind('/');
    try {
      const Json::json_pointer member(pointer);
      const Json::json_pointer parent(pointer.substr(0, slash));
      if (!manifest_.contains(member) || !manifest_.at(parent).is_object()) return false;
      return manifest_.at(parent).erase(member.back()) == 1;
    } catch (const Json::exception&) {
      return false;  // a pointer that was cut short in the message
    }
  }

  Json manifest_;
  std::vector<std::size_t> variants_;  ///< original index of each variant that is left
  bool cut_a_variant_ = false;
};

}  // namespace

void verify_manifest(const std::string& manifest, Findings& findings) {
  auto json = base::parse_json(manifest, ErrorCode::kPackage);
  if (!json || !json->is_object()) {
    findings.error("load",
                   "manifest.json does not parse: " + (json ? std::string("not an object") : json.error().message));
    return;
  }
  Pruner pruner(*std::move(json));
  for (int i = 0; i < kMaxViolations; ++i) {
    const auto loaded = Package::from_memory({{"manifest.json", pruner.manifest().dump()}}, "manifest.json");
    if (loaded) return;
    std::string message = loaded.error().message;
    const auto place = place_of(message);
    if (place && pruner.is_consequence(place->pointer)) return;
    if (place) message.replace(place->begin, place->pointer.size(), pruner.original(place->pointer));
    findings.error("load", message);
    const bool unknown_key = message.find("has unknown key \"") != std::string::npos ||
                             message.find("has unknown top-level key \"") != std::string::npos;
    if (!place || !pruner.cut(place->pointer, unknown_key)) return;
  }
}

}  // namespace wgk::runtime
