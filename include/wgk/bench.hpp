// Measuring calls: GPU time, the bandwidth that the device reaches at best, and what a call costs the host.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/export.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/prepared.hpp>
#include <wgk/request.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::inline v0 {

/// A call to measure.
struct BenchCase {
  std::string name;
  CallSpec call;
  /// Inputs whose values are given; the others get values that suit them: index tensors valid rows in order, floats
  /// values that differ from element to element.
  TensorMap data{};
};

/// Reads the text of a bench.json (docs/benchmarks.md, "bench.json"). Error: kPackage with the JSON pointer.
WGK_API Result<std::vector<BenchCase>> parse_bench_cases(std::string_view text);
/// Reads build/webgpu/bench.json of a package that was loaded from a folder, and checks its digest. Error: kPackage.
WGK_API Result<std::vector<BenchCase>> load_bench_cases(const Package& package);
/// The call of a request, with its values.
WGK_API BenchCase bench_case_from_request(std::string name, Request request);

struct BenchOptions {
  /// False: all calls of a pass work on the same buffers, so that each waits for the one before it. True: each has an
  /// output and inputs of its own, as far as 2 GiB of buffers go.
  bool independent = false;
  std::uint32_t passes = 30;     ///< most passes to time; each gives one sample
  std::uint32_t dispatches = 0;  ///< calls in a pass; 0: as many as fill some milliseconds
  double seconds = 1;            ///< about how long one figure may take; three samples are taken in any case
  bool host = true;              ///< also measure what a call costs the host
};

/// A sample of times, in nanoseconds.
struct BenchSample {
  double median = 0;
  double minimum = 0;
  double maximum = 0;
  double deviation = 0;  ///< median of the distances from the median
  std::uint32_t count = 0;

  double gigabytes_per_second(std::uint64_t bytes) const {
    return median > 0 ? static_cast<double>(bytes) / median : 0;
  }
};

/// Which clock took the times.
enum class BenchClock {
  kGpu,   ///< timestamps of the GPU around a pass
  kWall,  ///< the host's, around submitting and waiting: the device has no timestamps
  kHost,  ///< the host's, around the computation: there is no device
};

/// Times of one call.
struct BenchTiming {
  std::string variant;  ///< on DeviceKind::kCpu what RunResult::variant says
  BenchClock clock = BenchClock::kGpu;
  BenchSample call;              ///< time of one call
  std::uint32_t dispatches = 0;  ///< calls in a pass
  std::uint32_t buffer_sets = 0;
  /// Bytes that the call has to move: every input read once, every output written once, as stored on the device. Of
  /// tables that are read through an index tensor, the rows that it names.
  std::uint64_t useful_bytes = 0;
  double encode_ns = 0;  ///< host time to record the call into a pass; 0 where not measured
  double run_ns = 0;     ///< host time of Kernel::run on GPU tensors, which submits and does not wait; 0 likewise
};

/// How fast the device copies: the upper end for kernels that move data.
struct CopyTiming {
  std::uint64_t bytes = 0;    ///< read and written together
  std::uint32_t vectors = 0;  ///< vec4<u32> per invocation that were best; threads on DeviceKind::kCpu
  BenchClock clock = BenchClock::kGpu;
  BenchSample copy;
};

/// Measures a call. Errors: as for Kernel::prepare and running; kRequest where the call has nothing to do.
WGK_API Result<BenchTiming> bench_call(const Kernel& kernel, const BenchCase& bench_case,
                                       const BenchOptions& options = {});

/// The variants that accept a call, whatever their rank: the one that is selected first, then the others as declared.
/// With a pinned variant only that. Error: kRequest or kPackage where none does.
WGK_API Result<std::vector<std::string>> accepting_variants(const Kernel& kernel, const CallSpec& call);

/// SHA-256, in hexadecimal, over the outputs of a call on the values that bench_call() gives it: whether two ways to
/// compute a call agree in every bit. Needs a WebGPU device. Errors: as for bench_call.
WGK_API Result<std::string> bench_digest(const Kernel& kernel, const BenchCase& bench_case);

/// Measures a copy that moves about `bytes`, half of them read and half written, with 1, 2, 4 and 8 vectors per
/// invocation, and returns the best. On DeviceKind::kCpu it is memcpy on as many threads as are best.
WGK_API Result<CopyTiming> bench_copy(const Device& device, std::uint64_t bytes, const BenchOptions& options = {});

}  // namespace wgk::inline v0
