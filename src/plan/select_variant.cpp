// Candidates are checked in order; each check that fails gives the reason that explain and errors show.
#include "plan/select_variant.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "plan/brief_text.h"
#include "plan/device_limits.h"
#include "plan/evaluate.h"

namespace wgk::plan {
namespace {

using jinja::Value;
using package::Formula;
using package::Manifest;
using package::Variant;
using Outcome = VariantDecision::Outcome;

/// kEligible, kDemoted or kRejected, with the reason for the latter two.
struct Verdict {
  Outcome outcome = Outcome::kEligible;
  std::string reason;
};

Verdict rejected(std::string reason) { return Verdict{Outcome::kRejected, std::move(reason)}; }

bool is_true(const Value& value) { return value.kind() == Value::Kind::kBool && value.as_bool(); }

/// The members that a pattern may give, in the order of its written form, and what a configuration has there.
std::vector<std::pair<std::string_view, std::string>> matrix_members(const SubgroupMatrixConfig& config) {
  return {{"componentType", config.component_type},
          {"resultComponentType", config.result_component_type},
          {"M", fmt::to_string(config.m)},
          {"N", fmt::to_string(config.n)},
          {"K", fmt::to_string(config.k)}};
}

/// Every member that the pattern gives is equal; one that no configuration has never is.
bool matches(const package::MatrixConfig& pattern, const SubgroupMatrixConfig& config) {
  std::size_t equal = 0;
  for (const auto& [name, value] : matrix_members(config)) {
    const auto wanted = pattern.find(name);
    if (wanted != pattern.end() && wanted->second == value) ++equal;
  }
  return equal == pattern.size();
}

std::string pattern_text(const package::MatrixConfig& pattern) {
  const auto member = [&](std::string_view name) -> std::string_view {
    const auto found = pattern.find(name);
    return found == pattern.end() ? std::string_view("*") : std::string_view(found->second);
  };
  return fmt::format("{}-{}-{}x{}x{}", member("componentType"), member("resultComponentType"), member("M"), member("N"),
                     member("K"));
}

std::string config_text(const SubgroupMatrixConfig& config) {
  return fmt::format("{}-{}-{}x{}x{}", config.component_type, config.result_component_type, config.m, config.n,
                     config.k);
}

std::string missing_matrix_config(const std::vector<package::MatrixConfig>& patterns, const AdapterInfo& adapter) {
  if (patterns.empty() || !adapter.subgroup_matrix_configs) return {};
  std::vector<std::string> wanted, reported;
  for (const package::MatrixConfig& pattern : patterns) {
    for (const SubgroupMatrixConfig& config : *adapter.subgroup_matrix_configs) {
      if (matches(pattern, config)) return {};
    }
    wanted.push_back(pattern_text(pattern));
  }
  for (const SubgroupMatrixConfig& config : *adapter.subgroup_matrix_configs) reported.push_back(config_text(config));
  return fmt::format("requires adapterInfo.subgroupMatrixConfigs to match one of [{}] (device reports [{}])",
                     fmt::join(wanted, ", "), fmt::join(reported, ", "));
}

std::string missing_requirement(const package::Requires& needs, const DeviceProfile& profile) {
  for (const std::string& feature : needs.features) {
    if (!profile.has_feature(feature)) return fmt::format("requires device.features.has(\"{}\")", feature);
  }
  for (const auto& [name, least] : needs.limits) {
    const auto limit = device_limit(profile, name);
    if (!limit || *limit < least) return fmt::format("requires device.limits.{} >= {}", name, least);
  }
  if (needs.subgroup_min_size) {
    const auto& reported = profile.adapter.subgroup_min_size;
    if (!reported || *reported < *needs.subgroup_min_size) {
      return fmt::format("requires adapterInfo.subgroupMinSize >= {}{}", *needs.subgroup_min_size,
                         reported ? "" : " (adapter does not report subgroup sizes)");
    }
  }
  return missing_matrix_config(needs.subgroup_matrix_configs, profile.adapter);
}

struct BufferCounts {
  std::uint64_t storage = 0;
  std::uint64_t uniform = 0;
};

/// The most buffers of each kind that one pass binds.
void count_buffers(const std::vector<package::Step>& steps, BufferCounts& most) {
  for (const package::Step& step : steps) {
    if (const auto* group = std::get_if<package::RepeatGroup>(&step.node)) {
      count_buffers(group->steps, most);
      continue;
    }
    BufferCounts here;
    for (const package::Binding& binding : std::get<package::Pass>(step.node).bindings) {
      ++(binding.access == BindingAccess::kUniform ? here.uniform : here.storage);
    }
    most.storage = std::max(most.storage, here.storage);
    most.uniform = std::max(most.uniform, here.uniform);
  }
}

std::string too_many_buffers(const Variant& variant, const DeviceProfile& profile) {
  BufferCounts most;
  count_buffers(variant.steps, most);
  const auto fault = [&](std::uint64_t needed, std::string_view kind, std::string_view limit_name) -> std::string {
    const std::uint64_t allowed = device_limit_or_default(profile, limit_name);
    if (needed <= allowed) return {};
    return fmt::format("needs {} {} buffers per shader stage, device allows {} ({})", needed, kind, allowed,
                       limit_name);
  };
  std::string reason = fault(most.storage, "storage", "maxStorageBuffersPerShaderStage");
  return reason.empty() ? fault(most.uniform, "uniform", "maxUniformBuffersPerShaderStage") : reason;
}

/// Candidates in the order they are tried: default first, then priority, then declaration.
std::vector<std::uint32_t> candidate_order(const std::vector<Variant>& variants) {
  std::vector<std::uint32_t> order(variants.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (variants[a].is_default != variants[b].is_default) return variants[a].is_default;
    return variants[a].priority > variants[b].priority;
  });
  return order;
}

class Selector {
 public:
  Selector(const Manifest& manifest, const DeviceProfile& profile, const jinja::Scope& scope)
      : manifest_(manifest), profile_(profile), scope_(scope), verdicts_(manifest.variants.size()) {}

  /// Checks one candidate, all before it having been checked.
  const Verdict& check(std::uint32_t index, jinja::Budget& budget, bool ignore_superseding = false) {
    verdicts_[index] = judge(manifest_.variants[index], budget, ignore_superseding);
    return *verdicts_[index];
  }

 private:
  Verdict judge(const Variant& variant, jinja::Budget& budget, bool ignore_superseding) const {
    if (!variant.unusable.empty()) return rejected(variant.unusable);
    if (std::string reason = missing_requirement(variant.requires_, profile_); !reason.empty()) {
      return rejected(std::move(reason));
    }
    if (std::string reason = too_many_buffers(variant, profile_); !reason.empty()) return rejected(std::move(reason));
    for (const Formula& clause : variant.when) {
      std::string reason = failed_guard(clause, "when clause failed", "when eval error", budget);
      if (!reason.empty()) return rejected(std::move(reason));
    }
    if (variant.select_above) {
      std::string reason = failed_guard(*variant.select_above, "below perf floor", "selectAbove eval error", budget);
      if (!reason.empty()) return rejected(std::move(reason));
    }
    if (!ignore_superseding) {
      if (std::string reason = superseded(variant); !reason.empty()) return rejected(std::move(reason));
    }
    return demotion(variant, budget);
  }

  std::string failed_guard(const Formula& clause, std::string_view failed, std::string_view broken,
                           jinja::Budget& budget) const {
    const Result<Value> value = evaluate(clause, scope_, budget);
    if (!value.ok()) return fmt::format("{} in `{}`: {}", broken, formula_text(clause), value.error().message);
    if (is_true(*value)) return {};
    return fmt::format("{}: `{}` → {}", failed, formula_text(clause), brief_text(*value));
  }

  std::string superseded(const Variant& variant) const {
    for (const std::uint32_t other : variant.superseded_by) {
      const auto& verdict = verdicts_[other];
      if (!verdict || verdict->outcome != Outcome::kEligible) continue;
      return fmt::format("superseded by `{}`, which is eligible here and takes precedence",
                         manifest_.variants[other].id);
    }
    return {};
  }

  Verdict demotion(const Variant& variant, jinja::Budget& budget) const {
    Verdict verdict;
    for (const Formula& clause : variant.demote_when) {
      const Result<Value> value = evaluate(clause, scope_, budget);
      if (!value.ok()) {
        return rejected(fmt::format("demoteWhen eval error in `{}`: {}", formula_text(clause), value.error().message));
      }
      if (verdict.outcome == Outcome::kEligible && is_true(*value)) {
        verdict = Verdict{Outcome::kDemoted, fmt::format("demoted: `{}` → true", formula_text(clause))};
      }
    }
    return verdict;
  }

  const Manifest& manifest_;
  const DeviceProfile& profile_;
  const jinja::Scope& scope_;
  std::vector<std::optional<Verdict>> verdicts_;  ///< by variant
};

Error nothing_supported(const Manifest& manifest, const std::vector<VariantDecision>& decisions) {
  std::vector<std::string> entries;
  for (const VariantDecision& decision : decisions) {
    entries.push_back(fmt::format("{}: {}", decision.id, decision.reason));
  }
  return Error{ErrorCode::kRequest,
               fmt::format("No supported WebGPU variant for {}; rejected {}", manifest.op, fmt::join(entries, "; "))};
}

Result<std::vector<std::uint32_t>> candidates(const Manifest& manifest, const std::string& pinned) {
  if (pinned.empty()) return candidate_order(manifest.variants);
  for (std::uint32_t i = 0; i < manifest.variants.size(); ++i) {
    if (manifest.variants[i].id == pinned) return std::vector<std::uint32_t>{i};
  }
  return Error{ErrorCode::kRequest, fmt::format("WebGPU op {} has no variant {}", manifest.op, pinned)};
}

}  // namespace

Result<Selection> select_variant(const Manifest& manifest, const std::string& pinned, const DeviceProfile& profile,
                                 const jinja::Scope& scope, jinja::Budget& budget, bool explain_all) {
  WGK_TRY(const std::vector<std::uint32_t> order, candidates(manifest, pinned));
  Selector selector(manifest, profile, scope);
  Selection selection;
  jinja::Budget explain_budget;
  std::optional<std::size_t> selected;
  for (const std::uint32_t index : order) {
    const Variant& variant = manifest.variants[index];
    VariantDecision decision{variant.id, variant.priority, Outcome::kNotTried, {}};
    if (!selected || explain_all) {
      // A pinned variant is the only candidate, so the ones that would supersede it are never asked.
      const Verdict& verdict = selector.check(index, selected ? explain_budget : budget, !pinned.empty());
      decision.outcome = verdict.outcome;
      decision.reason = verdict.reason;
    }
    if (!selected && decision.outcome == Outcome::kEligible) selected = selection.decisions.size();
    selection.decisions.push_back(std::move(decision));
  }
  if (!selected) {
    const auto demoted = std::find_if(selection.decisions.begin(), selection.decisions.end(),
                                      [](const VariantDecision& d) { return d.outcome == Outcome::kDemoted; });
    if (demoted == selection.decisions.end()) return nothing_supported(manifest, selection.decisions);
    selected = static_cast<std::size_t>(demoted - selection.decisions.begin());
  }
  selection.decisions[*selected].outcome = Outcome::kSelected;
  selection.variant = &manifest.variants[order[*selected]];
  return selection;
}

}  // namespace wgk::plan
