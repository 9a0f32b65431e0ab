// Measures calls and copies on a WebGPU device.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <wgk/bench.hpp>

#include "base/sha256.h"
#include "base/try.h"
#include "gpu/bench_plans.h"
#include "gpu/bound_plan.h"
#include "gpu/pass_timer.h"
#include "gpu/submit.h"
#include "gpu/transfer.h"
#include "runtime/bench_cpu.h"
#include "runtime/bench_inputs.h"
#include "runtime/bench_sample.h"
#include "runtime/device_access.h"
#include "runtime/prepared_impl.h"

namespace wgk::inline v0 {
namespace {

using runtime::BenchIndex;
using runtime::BenchTensors;
using Calls = std::span<const gpu::BoundPlan* const>;

constexpr std::uint32_t kMostCallsPerPass = 1000;
constexpr std::uint32_t kMostSets = 256;
constexpr std::uint64_t kMostSetBytes = std::uint64_t{2} << 30;

struct Measured {
  BenchSample sample;
  std::uint32_t calls = 0;
  double encode_ns = 0;
};

/// How many calls fill a pass: enough that its beginning and end do not count.
Result<std::uint32_t> calls_per_pass(gpu::PassTimer& timer, Calls bound, const BenchOptions& options,
                                     std::uint32_t most) {
  const double wanted_ns = std::clamp(options.seconds * 1e9 / 30, 1e5, 8e6);
  std::uint32_t calls = 1;
  while (true) {
    WGK_TRY(const gpu::PassTimes times, timer.time(bound, calls, 1));
    const double took = times.pass_ns.front();
    if (took >= wanted_ns || calls >= most) return calls;
    const double grow = took > 0 ? std::clamp(wanted_ns / took, 2.0, 64.0) : 64.0;
    calls = static_cast<std::uint32_t>(std::min<double>(most, calls * grow));
  }
}

Result<Measured> measure(gpu::PassTimer& timer, Calls bound, const BenchOptions& options, std::uint32_t most) {
  Measured measured;
  measured.calls = options.dispatches;
  if (measured.calls == 0) {
    WGK_TRY(measured.calls, calls_per_pass(timer, bound, options, most));
  }
  const auto passes_in = [&](double seconds, double pass_ns, std::uint32_t least, std::uint32_t limit) {
    const double passes = seconds * 1e9 / std::max(pass_ns, 1.0);
    return static_cast<std::uint32_t>(std::clamp<double>(passes, std::min(least, limit), limit));
  };
  WGK_TRY(const gpu::PassTimes first, timer.time(bound, measured.calls, 1));
  const std::uint32_t limit = std::clamp<std::uint32_t>(options.passes, 1, gpu::PassTimer::kMostPasses);
  const std::uint32_t warm = passes_in(options.seconds / 8, first.pass_ns.front(), 1, limit);
  WGK_TRY(const gpu::PassTimes warmed, timer.time(bound, measured.calls, warm));
  const std::uint32_t passes = passes_in(options.seconds, runtime::median_of(warmed.pass_ns), 3, limit);
  WGK_TRY(gpu::PassTimes times, timer.time(bound, measured.calls, passes));
  measured.encode_ns = times.encode_ns;
  measured.sample = runtime::sample_of(std::move(times.pass_ns), measured.calls);
  return measured;
}

/// Calls that take turns, and what they need to live.
struct BoundCalls {
  std::vector<Bound> owners;
  std::vector<const gpu::BoundPlan*> plans;
};

Result<BoundCalls> bind_all(const Prepared& prepared, const BenchTensors& tensors) {
  BoundCalls calls;
  for (std::uint32_t set = 0; set < tensors.sets(); ++set) {
    WGK_TRY(Bound bound, prepared.bind(tensors.views(set)));
    calls.plans.push_back(&bound.impl()->plan);
    calls.owners.push_back(std::move(bound));
  }
  return calls;
}

std::uint32_t sets_for(const Plan& plan, const BenchIndex& index, const BenchOptions& options) {
  if (!options.independent) return 1;
  const std::uint64_t fit = kMostSetBytes / std::max<std::uint64_t>(BenchTensors::set_bytes(plan, index), 1);
  const std::uint32_t most = options.dispatches == 0 ? kMostSets : std::min(options.dispatches, kMostSets);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, std::min(most, 2U), most));
}

/// Host time of calls that are submitted one by one and not waited for.
Result<double> time_runs(const Kernel& kernel, const CallSpec& call, const GpuTensors& tensors, double call_ns,
                         const BenchOptions& options, gpu::DeviceContext& context) {
  using Clock = std::chrono::steady_clock;
  RunOptions run;
  run.attrs = call.attrs;
  run.args = call.args;
  run.variant = call.variant;
  run.tunables = call.tunables;
  run.outputs = call.wanted_outputs;
  constexpr double kLeast = 5;
  constexpr double kMost = 200;
  const auto count = static_cast<int>(std::clamp(options.seconds * 1e9 / 8 / std::max(call_ns, 1.0), kLeast, kMost));
  std::vector<double> times;
  for (int i = 0; i <= count; ++i) {
    const Clock::time_point start = Clock::now();
    WGK_CHECK(kernel.run(tensors, run));
    // The first call plans and binds.
    if (i > 0) times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    // Work in flight stays bounded, as in an application that looks at its results.
    if (i % 16 == 15) WGK_CHECK(gpu::wait_until_idle(context));
  }
  WGK_CHECK(gpu::wait_until_idle(context));
  return runtime::median_of(std::move(times));
}

Result<Prepared> prepare(const Kernel& kernel, const BenchCase& bench_case) {
  WGK_TRY(Prepared prepared, kernel.prepare(bench_case.call));
  if (!prepared.impl()->plan->steps().empty()) return prepared;
  return Error{ErrorCode::kRequest,
               fmt::format("{}: {}: there is nothing to dispatch", kernel.package().op(), bench_case.name)};
}

TensorMap data_by_key(const Package& package, const BenchCase& bench_case) {
  TensorMap data;
  for (const auto& [name, tensor] : bench_case.data) {
    data.emplace(runtime::port_key(package.impl()->manifest, name), tensor);
  }
  return data;
}

Status check_options(const BenchOptions& options) {
  if (options.passes == 0 || !(options.seconds > 0)) {
    return Error{ErrorCode::kUsage, "bench: passes and seconds must be greater than 0"};
  }
  return {};
}

}  // namespace

Result<BenchTiming> bench_call(const Kernel& kernel, const BenchCase& bench_case, const BenchOptions& options) {
  WGK_CHECK(check_options(options));
  if (kernel.device().kind() == DeviceKind::kCpu) return runtime::bench_call_on_cpu(kernel, bench_case, options);
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, runtime::webgpu_device_of(kernel.device(), kernel.package().op()));
  WGK_TRY(const Prepared prepared, prepare(kernel, bench_case));
  const Plan& plan = prepared.plan();
  const TensorMap data = data_by_key(kernel.package(), bench_case);
  const BenchIndex index = runtime::bench_index(plan, data);
  WGK_TRY(const BenchTensors tensors, BenchTensors::create(prepared, data, index, sets_for(plan, index, options)));
  WGK_TRY(const BoundCalls calls, bind_all(prepared, tensors));
  WGK_TRY(gpu::PassTimer timer, gpu::PassTimer::create(gpu));
  // With a set for every call of a pass no call waits for another.
  const std::uint32_t most = options.independent ? tensors.sets() : kMostCallsPerPass;
  WGK_TRY(const Measured measured, measure(timer, calls.plans, options, most));

  BenchTiming timing;
  timing.variant = plan.variant;
  timing.clock = timer.gpu_clock() ? BenchClock::kGpu : BenchClock::kWall;
  timing.call = measured.sample;
  timing.dispatches = measured.calls;
  timing.buffer_sets = tensors.sets();
  timing.useful_bytes = runtime::useful_bytes(plan, index);
  if (options.host) {
    timing.encode_ns = measured.encode_ns;
    auto run_ns = time_runs(kernel, bench_case.call, tensors.views(0), measured.sample.median, options, gpu->context());
    kernel.clear_cache();  // it would keep the buffers
    if (!run_ns) return std::move(run_ns).error();
    timing.run_ns = *run_ns;
  }
  return timing;
}

Result<std::vector<std::string>> accepting_variants(const Kernel& kernel, const CallSpec& call) {
  WGK_TRY(const Plan plan, runtime::plan_spec(kernel.device(), kernel.package(), call));
  std::vector<std::string> accepting{plan.variant};
  if (!call.variant.empty()) return accepting;
  CallSpec pinned = call;
  for (const package::Variant& variant : kernel.package().impl()->manifest.variants) {
    if (variant.id == plan.variant) continue;
    pinned.variant = variant.id;
    if (runtime::plan_spec(kernel.device(), kernel.package(), pinned)) accepting.push_back(variant.id);
  }
  return accepting;
}

Result<std::string> bench_digest(const Kernel& kernel, const BenchCase& bench_case) {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, runtime::webgpu_device_of(kernel.device(), kernel.package().op()));
  WGK_TRY(const Prepared prepared, prepare(kernel, bench_case));
  const Plan& plan = prepared.plan();
  const TensorMap data = data_by_key(kernel.package(), bench_case);
  WGK_TRY(const BenchTensors tensors, BenchTensors::create(prepared, data, runtime::bench_index(plan, data), 1));
  const GpuTensors views = tensors.views(0);
  WGK_TRY(const Bound bound, prepared.bind(views));
  WGK_CHECK(bound.submit());
  std::string digests;
  for (const NamedGpuView& named : views) {
    const auto tensor = std::find_if(plan.tensors.begin(), plan.tensors.end(),
                                     [&](const PlanTensor& candidate) { return candidate.key == named.name; });
    if (tensor == plan.tensors.end() || !tensor->is_output) continue;
    WGK_TRY(gpu::PendingRead read,
            gpu::PendingRead::start(gpu, named.view.buffer, named.view.offset, tensor->storage_bytes));
    WGK_TRY(const std::vector<std::byte> bytes, read.get(gpu->context().timeout));
    digests += base::sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return base::sha256_hex(digests);
}

Result<CopyTiming> bench_copy(const Device& device, std::uint64_t bytes, const BenchOptions& options) {
  WGK_CHECK(check_options(options));
  if (device.kind() == DeviceKind::kCpu) return runtime::bench_copy_on_cpu(bytes, options);
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, runtime::webgpu_device_of(device, "copy"));
  const DeviceProfile& profile = device.profile();
  const std::uint64_t most =
      std::min(profile.limit("maxStorageBufferBindingSize", bytes), profile.limit("maxBufferSize", bytes));
  const std::uint64_t half = std::clamp<std::uint64_t>(bytes / 2, 16, std::max<std::uint64_t>(most, 16)) / 16 * 16;
  const Shape shape{static_cast<std::int64_t>(half / 4)};
  WGK_TRY(const GpuTensor source, GpuTensor::create(device, DType::kUint32, shape, "source"));
  WGK_TRY(const GpuTensor target, GpuTensor::create(device, DType::kUint32, shape, "target"));
  const gpu::BufferRange ranges[] = {{source.buffer(), 0, half}, {target.buffer(), 0, half}};
  {
    WGK_TRY(auto fill, gpu::PreparedPlan::create(gpu, gpu::fill_plan(half, gpu::FillPattern::kFloat32)));
    WGK_TRY(const gpu::BoundPlan bound, gpu::BoundPlan::create(std::move(fill), {ranges, 1}));
    WGK_CHECK(bound.submit(nullptr));
  }
  WGK_TRY(gpu::PassTimer timer, gpu::PassTimer::create(gpu));
  CopyTiming best;
  best.bytes = half * 2;
  best.clock = timer.gpu_clock() ? BenchClock::kGpu : BenchClock::kWall;
  for (const std::uint32_t vectors : {1U, 2U, 4U, 8U}) {
    WGK_TRY(auto prepared, gpu::PreparedPlan::create(gpu, gpu::copy_plan(half, vectors)));
    WGK_TRY(const gpu::BoundPlan bound, gpu::BoundPlan::create(std::move(prepared), ranges));
    const gpu::BoundPlan* const calls[] = {&bound};
    BenchOptions quarter = options;
    quarter.seconds /= 4;
    quarter.dispatches = 0;
    WGK_TRY(const Measured measured, measure(timer, calls, quarter, kMostCallsPerPass));
    if (best.vectors != 0 && measured.sample.median >= best.copy.median) continue;
    best.vectors = vectors;
    best.copy = measured.sample;
  }
  return best;
}

}  // namespace wgk::inline v0
