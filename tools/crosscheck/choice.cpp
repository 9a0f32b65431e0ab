// Choosing by what a case renders and which variant it runs.
#include "choice.h"

#include "gpu/pipeline_cache.h"

namespace wgk::crosscheck {

bool Choice::has_new_shader(const Plan& plan) {
  bool found = false;
  for (const PlanPass& pass : plan.passes) {
    if (!pass.skipped()) found |= shaders_.insert(gpu::pipeline_key(pass)).second;
  }
  return found;
}

bool Choice::takes(const Plan& plan) {
  for (const VariantDecision& decision : plan.decisions) {
    std::string& reason = rejected_[decision.id];
    if (reason.empty()) reason = decision.reason;
  }
  const bool fresh = has_new_shader(plan);
  std::size_t& taken = taken_[plan.variant];
  if (per_variant_ != 0 && taken >= per_variant_ && !fresh) return false;
  ++taken;
  return true;
}

std::map<std::string, std::string> Choice::variants_left() const {
  std::map<std::string, std::string> left;
  for (const auto& [id, reason] : rejected_) {
    if (taken_.find(id) == taken_.end()) left.emplace(id, reason);
  }
  return left;
}

}  // namespace wgk::crosscheck
