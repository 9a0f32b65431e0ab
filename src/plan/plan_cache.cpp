// A list in order of use and an index into it. Planning happens outside the lock, so that one slow plan holds nobody
// up; when two threads plan the same call, the first one's plan is kept and both get it.
#include "plan/plan_cache.h"

#include <utility>

#include "base/try.h"
#include "plan/make_plan.h"
#include "plan/plan_key.h"

namespace wgk::plan {
namespace {

std::size_t footprint(const Shape& shape) { return shape.size() * sizeof(std::int64_t); }

std::size_t footprint(const PlanPass& pass) {
  std::size_t bytes = sizeof(pass) + pass.id.size() + pass.label.size() + pass.shader.size() + pass.wgsl.size() +
                      pass.entry_point.size() + pass.view_alias.size() * sizeof(pass.view_alias[0]);
  for (const PlanBinding& binding : pass.bindings) {
    bytes += sizeof(binding) + binding.name.size() + binding.element_type.size();
  }
  return bytes;
}

std::size_t footprint(const PlanUniform& uniform) {
  std::size_t bytes = sizeof(uniform) + uniform.struct_name.size() + uniform.bytes.size();
  for (const PlanUniform::Field& field : uniform.fields) bytes += sizeof(field) + field.name.size();
  return bytes;
}

}  // namespace

std::size_t plan_footprint(const Plan& plan) {
  std::size_t bytes = sizeof(plan) + plan.op.size() + plan.variant.size();
  for (const PlanTensor& tensor : plan.tensors) {
    bytes += sizeof(tensor) + tensor.key.size() + tensor.onnx_name.size() + footprint(tensor.shape);
  }
  for (const PlanScratch& scratch : plan.scratch)
    bytes += sizeof(scratch) + scratch.id.size() + footprint(scratch.shape);
  for (const PlanUniform& uniform : plan.uniforms) bytes += footprint(uniform);
  for (const PlanPass& pass : plan.passes) bytes += footprint(pass);
  for (const VariantDecision& decision : plan.decisions) {
    bytes += sizeof(decision) + decision.id.size() + decision.reason.size();
  }
  for (const PlanValue& value : plan.derives) bytes += sizeof(value) + value.name.size() + value.value.size();
  return bytes;
}

Result<std::shared_ptr<const Plan>> PlanCache::plan(const std::shared_ptr<const package::LoadedPackage>& package,
                                                    const PlanRequest& request, const DeviceProfile& profile,
                                                    const PlanOptions& options) {
  std::string key = plan_key(*package, request, profile, options);
  if (auto known = find(key, package)) return known;
  WGK_TRY(Plan made, make_plan(*package, request, profile, options));
  auto plan = std::make_shared<const Plan>(std::move(made));
  // The key is counted twice over: by_key_ and the list have nodes of their own.
  const std::size_t bytes = plan_footprint(*plan) + 2 * sizeof(Entry) + key.size();
  return insert(Entry{std::move(key), package, std::move(plan), bytes});
}

std::shared_ptr<const Plan> PlanCache::find(const std::string& key,
                                            const std::shared_ptr<const package::LoadedPackage>& package) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  // Another package may live where an earlier one did; then the earlier one has expired.
  if (found == by_key_.end() || found->second->package.lock() != package) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->plan;
}

std::shared_ptr<const Plan> PlanCache::insert(Entry entry) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(entry.key);
  if (found != by_key_.end()) {
    if (found->second->package.lock() == entry.package.lock()) return found->second->plan;
    erase(found->second);
  }
  std::shared_ptr<const Plan> plan = entry.plan;
  if (entry.bytes > limits_.bytes || limits_.plans == 0) return plan;
  while (entries_.size() >= limits_.plans || bytes_ > limits_.bytes - entry.bytes) erase(std::prev(entries_.end()));
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  by_key_.emplace(entries_.front().key, entries_.begin());
  return plan;
}

void PlanCache::erase(Entries::iterator entry) {
  by_key_.erase(entry->key);
  bytes_ -= entry->bytes;
  entries_.erase(entry);
}

PlanCache::Stats PlanCache::stats() const {
  const std::lock_guard lock(mutex_);
  return Stats{hits_, misses_, entries_.size(), bytes_};
}

}  // namespace wgk::plan
