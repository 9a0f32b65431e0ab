// Measuring where there is no device.
#pragma once

#include <cstdint>

#include <wgk/bench.hpp>

namespace wgk::runtime {

Result<BenchTiming> bench_call_on_cpu(const Kernel& kernel, const BenchCase& bench_case, const BenchOptions& options);
CopyTiming bench_copy_on_cpu(std::uint64_t bytes, const BenchOptions& options);

}  // namespace wgk::runtime
