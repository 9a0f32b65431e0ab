// Times calls on the CPU path, and memcpy on several threads as their ceiling.
#include "runtime/bench_cpu.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/try.h"
#include "runtime/bench_inputs.h"
#include "runtime/bench_sample.h"
#include "runtime/prepared_impl.h"

namespace wgk::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Runs `work` once to warm up, then until time or the number of samples is up.
template <typename Work>
Result<BenchSample> time_runs(const BenchOptions& options, Work&& work) {
  WGK_CHECK(work());
  const std::size_t most = std::max<std::uint32_t>(options.passes, 1);
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (times.size() < most && (times.size() < 3 || nanoseconds_since(begin) < options.seconds * 1e9)) {
    const Clock::time_point start = Clock::now();
    WGK_CHECK(work());
    times.push_back(nanoseconds_since(start));
  }
  return sample_of(std::move(times));
}

void copy_on_threads(std::vector<std::byte>& target, const std::vector<std::byte>& source, unsigned threads) {
  const std::size_t part = (source.size() + threads - 1) / threads;
  const auto copy = [&](unsigned index) {
    const std::size_t first = std::min(source.size(), part * index);
    std::memcpy(target.data() + first, source.data() + first, std::min(part, source.size() - first));
  };
  std::vector<std::thread> helpers;
  unsigned next = 1;
  try {
    for (; next < threads; ++next) helpers.emplace_back(copy, next);
  } catch (const std::system_error&) {  // no more threads: this one does the rest
  }
  copy(0);
  for (; next < threads; ++next) copy(next);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace

Result<BenchTiming> bench_call_on_cpu(const Kernel& kernel, const BenchCase& bench_case, const BenchOptions& options) {
  WGK_TRY(const Plan plan, plan_spec(kernel.device(), kernel.package(), bench_case.call));
  const package::Manifest& manifest = kernel.package().impl()->manifest;
  TensorMap data;
  for (const auto& [name, tensor] : bench_case.data) data.emplace(port_key(manifest, name), tensor);
  const BenchIndex index = bench_index(plan, data);
  TensorMap inputs;
  for (const auto& [name, spec] : bench_case.call.inputs) {
    const std::string key(port_key(manifest, name));
    const auto given = data.find(key);
    inputs.emplace(key, key == index.key ? index.values : given != data.end() ? given->second : host_values(spec));
  }
  RunOptions run;
  run.attrs = bench_case.call.attrs;
  run.args = bench_case.call.args;
  run.outputs = bench_case.call.wanted_outputs;
  run.check = Check::kNone;

  BenchTiming timing;
  timing.clock = BenchClock::kHost;
  timing.dispatches = 1;
  timing.buffer_sets = 1;
  timing.useful_bytes = useful_bytes(plan, index);
  RunResult result;  // keeps its memory from run to run, as an application would
  WGK_TRY(timing.call, time_runs(options, [&] { return kernel.run_into(inputs, result, run); }));
  timing.variant = result.variant;
  return timing;
}

CopyTiming bench_copy_on_cpu(std::uint64_t bytes, const BenchOptions& options) {
  const auto half = static_cast<std::size_t>(std::max<std::uint64_t>(bytes / 2, 16));
  const std::vector<std::byte> source(half, std::byte{1});
  std::vector<std::byte> target(half);
  CopyTiming best;
  best.clock = BenchClock::kHost;
  best.bytes = std::uint64_t{half} * 2;
  const unsigned most = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned threads = 1; threads <= most; threads = threads < most && threads * 2 > most ? most : threads * 2) {
    const auto sample = time_runs(options, [&]() -> Status {
      copy_on_threads(target, source, threads);
      return {};
    });
    if (best.vectors != 0 && sample->median >= best.copy.median) continue;
    best.vectors = threads;
    best.copy = *sample;
  }
  return best;
}

}  // namespace wgk::runtime
