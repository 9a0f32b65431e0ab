// Counting heap allocations: the benchmark program replaces operator new.
#pragma once

#include <cstdint>

#include <benchmark/benchmark.h>

namespace wgk::bench {

/// Allocations of this thread since it started.
std::uint64_t allocation_count();

/// Reports `allocs`, the allocations per iteration between construction and report().
class AllocationMeter {
 public:
  AllocationMeter() : before_(allocation_count()) {}
  void report(benchmark::State& state) const {
    const std::uint64_t count = allocation_count() - before_;
    state.counters["allocs"] = benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
  }

 private:
  std::uint64_t before_;
};

}  // namespace wgk::bench
