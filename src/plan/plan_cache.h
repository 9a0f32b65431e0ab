// Plans of calls that came before. A memo: same in, same out, whatever it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <wgk/device_profile.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "package/model.h"

namespace wgk::plan {

/// What a cache may keep; the least recently used plans go first.
struct PlanCacheLimits {
  std::size_t plans = 256;
  std::size_t bytes = 64u << 20;  ///< of plans and keys, estimated; a plan that is larger alone is not kept
};

/// Bytes that a plan occupies, roughly: texts, lists and fixed parts.
std::size_t plan_footprint(const Plan& plan);

/// Thread-safe. Does not keep packages alive: plans of a package that is gone are never handed out again and leave the
/// cache as the others do.
class PlanCache {
 public:
  using Limits = PlanCacheLimits;
  struct Stats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::size_t plans = 0;
    std::size_t bytes = 0;
  };

  explicit PlanCache(Limits limits = {}) : limits_(limits) {}
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// What make_plan returns for these arguments. Errors are not kept.
  Result<std::shared_ptr<const Plan>> plan(const std::shared_ptr<const package::LoadedPackage>& package,
                                           const PlanRequest& request, const DeviceProfile& profile,
                                           const PlanOptions& options = {});

  Stats stats() const;

 private:
  struct Entry {
    std::string key;
    std::weak_ptr<const package::LoadedPackage> package;
    std::shared_ptr<const Plan> plan;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  std::shared_ptr<const Plan> find(const std::string& key,
                                   const std::shared_ptr<const package::LoadedPackage>& package);
  std::shared_ptr<const Plan> insert(Entry entry);
  void erase(Entries::iterator entry);

  const Limits limits_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  Entries entries_;                                                 ///< most recently used first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  ///< views of Entry::key
  std::size_t bytes_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace wgk::plan
