// What can be checked only when all variants are known.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/try.h"
#include "package/parts.h"

namespace wgk::package {
namespace {

void collect(const std::vector<Step>& steps, std::vector<std::string>& out) {
  for (const Step& step : steps) {
    if (const auto* group = std::get_if<RepeatGroup>(&step.node)) {
      collect(group->steps, out);
      continue;
    }
    const std::string& shader = std::get<Pass>(step.node).shader;
    if (std::find(out.begin(), out.end(), shader) == out.end()) out.push_back(shader);
  }
}

/// The candidate order of package-format 12.1: does variant a come before variant b?
bool ranks_before(const std::vector<Variant>& variants, std::size_t a, std::size_t b) {
  if (variants[a].is_default != variants[b].is_default) return variants[a].is_default;
  if (variants[a].priority != variants[b].priority) return variants[a].priority > variants[b].priority;
  return a < b;
}

}  // namespace

Status link_variants(Manifest& manifest, const std::vector<std::vector<std::string>>& superseded_by,
                     const std::vector<Node>& nodes, std::string_view duplicate_text) {
  std::unordered_map<std::string_view, std::uint32_t> by_id;
  for (std::uint32_t index = 0; index < manifest.variants.size(); ++index) {
    const std::string& id = manifest.variants[index].id;
    if (!by_id.emplace(id, index).second) {
      return nodes[index].fail(
          fmt::format("WebGPU manifest {} has duplicate {}variant id \"{}\"", manifest.op, duplicate_text, id));
    }
  }
  for (std::uint32_t index = 0; index < manifest.variants.size(); ++index) {
    Variant& variant = manifest.variants[index];
    for (const std::string& id : superseded_by[index]) {
      const auto refuse = [&](std::string_view why) {
        return nodes[index]
            .at("supersededBy")
            .fail(fmt::format("WebGPU variant {} supersededBy names \"{}\", which {}", variant.id, printable(id), why));
      };
      const auto found = by_id.find(id);
      if (found == by_id.end()) return refuse("is not a variant");
      if (found->second == index) return refuse("is the variant itself");
      if (!ranks_before(manifest.variants, found->second, index)) return refuse("does not rank before it");
      variant.superseded_by.push_back(found->second);
    }
  }
  return {};
}

void collect_templates(Variant& variant) { collect(variant.steps, variant.templates); }

}  // namespace wgk::package
