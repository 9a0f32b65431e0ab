// What a Kernel remembers of calls: plans of those on host tensors, more of those on GPU tensors.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <wgk/kernel.hpp>

#include "plan/plan_cache.h"
#include "runtime/prepared_impl.h"

namespace wgk::inline v0 {

/// Least recently used first out, in both dimensions. Any thread.
struct WGK_LOCAL Kernel::State {
  static constexpr std::size_t kMaxShapes = 16;
  static constexpr std::size_t kMaxBindingsPerShape = 8;

  struct Binding {
    std::vector<gpu::BufferRange> ranges;
    std::shared_ptr<const Bound::Impl> bound;
  };
  struct Entry {
    CallSpec spec;
    std::shared_ptr<const Prepared::Impl> prepared;
    std::list<Binding> bindings;
  };

  plan::PlanCache plans;  ///< of calls on host tensors; has a lock of its own

  std::mutex mutex;
  std::list<Entry> entries;

  std::shared_ptr<const Prepared::Impl> find(const CallSpec& spec);
  void remember(CallSpec spec, std::shared_ptr<const Prepared::Impl> prepared);
  std::shared_ptr<const Bound::Impl> find(const Prepared::Impl& prepared, std::span<const gpu::BufferRange> ranges);
  void remember(const Prepared::Impl& prepared, std::span<const gpu::BufferRange> ranges,
                std::shared_ptr<const Bound::Impl> bound);
};

}  // namespace wgk::inline v0
