// What a call costs the host on a device: preparing, binding, recording, running. A software adapter will do, since the
// device's own work is left out of the times; only `run_host` waits for it, and is there for its allocations.
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <wgk/wgk.hpp>

#include "allocations.h"
#include "gpu/gpu_device.h"
#include "gpu/submit.h"
#include "runtime/device_impl.h"

namespace wgk::bench {
namespace {

/// Time that this thread has computed: on a software adapter the "GPU" competes for the same processors, and how long
/// the caller was kept waiting says nothing about its own work.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A decode step of RotaryEmbedding with its tensors.
struct Call {
  Kernel kernel;
  CallSpec spec;
  Prepared prepared;
  std::vector<GpuTensor> tensors;
  GpuTensors views;

  gpu::DeviceContext& context() const { return kernel.device().impl()->gpu->context(); }
};

CallSpec decode_step() {
  CallSpec spec;
  spec.inputs = {{"x", {DType::kFloat32, {1, 4, 1, 64}}},
                 {"cos", {DType::kFloat32, {128, 32}}},
                 {"sin", {DType::kFloat32, {128, 32}}},
                 {"positionIds", {DType::kInt64, {1, 1}}}};
  return spec;
}

Result<Call> make_call() {
  auto device = Device::open({.kind = DeviceKind::kSoftware});
  if (!device) return device.error();
  auto package = Package::load("ai.onnx.RotaryEmbedding");
  if (!package) return package.error();
  Kernel kernel(*device, *package);
  auto prepared = kernel.prepare(decode_step());
  if (!prepared) return prepared.error();
  Call call{kernel, decode_step(), *std::move(prepared), {}, {}};
  for (const char* key : {"x", "cos", "sin", "positionIds", "y"}) {
    auto tensor = call.prepared.create_tensor(key);
    if (!tensor) return tensor.error();
    call.tensors.push_back(*std::move(tensor));
    call.views.push_back({key, call.tensors.back()});
  }
  return call;
}

/// The one call that all benchmarks share; opening a device takes longer than all of them.
const Call* shared_call(benchmark::State& state) {
  static const Result<Call> kCall = make_call();
  if (kCall) return &*kCall;
  state.SkipWithError(kCall.error().message.c_str());
  return nullptr;
}

void prepare(benchmark::State& state) {
  const Call* call = shared_call(state);
  if (call == nullptr) return;
  const AllocationMeter meter;
  for (auto _ : state) {
    auto prepared = call->kernel.prepare(call->spec);
    if (!prepared) return state.SkipWithError(prepared.error().message.c_str());
    benchmark::DoNotOptimize(prepared);
  }
  meter.report(state);
}

void bind(benchmark::State& state) {
  const Call* call = shared_call(state);
  if (call == nullptr) return;
  const AllocationMeter meter;
  for (auto _ : state) {
    auto bound = call->prepared.bind(call->views);
    if (!bound) return state.SkipWithError(bound.error().message.c_str());
    benchmark::DoNotOptimize(bound);
  }
  meter.report(state);
}

/// Recording alone; what was recorded is dropped.
void encode(benchmark::State& state) {
  const Call* call = shared_call(state);
  if (call == nullptr) return;
  const auto bound = call->prepared.bind(call->views);
  if (!bound) return state.SkipWithError(bound.error().message.c_str());
  constexpr int kCalls = 100;
  std::uint64_t allocations = 0;
  for (auto _ : state) {
    double seconds = 0;
    const auto commands = gpu::record_commands(call->context(), [&](const gpu::CommandEncoder& encoder) -> Status {
      const gpu::ComputePass pass(gpu::procs().wgpuCommandEncoderBeginComputePass(encoder.get(), nullptr));
      const std::uint64_t before = allocation_count();
      const double start = thread_seconds();
      for (int i = 0; i < kCalls; ++i) bound->encode(pass.get());
      seconds = thread_seconds() - start;
      allocations += allocation_count() - before;
      gpu::procs().wgpuComputePassEncoderEnd(pass.get());
      return {};
    });
    if (!commands) return state.SkipWithError(commands.error().message.c_str());
    state.SetIterationTime(seconds / kCalls);
  }
  state.counters["allocs"] =
      benchmark::Counter(static_cast<double>(allocations) / kCalls, benchmark::Counter::kAvgIterations);
}

/// Kernel::run on GPU tensors: checks, finds plan and bindings again, records and submits. The device is waited for
/// outside of the time.
void run_gpu(benchmark::State& state) {
  const Call* call = shared_call(state);
  if (call == nullptr) return;
  if (const auto first = call->kernel.run(call->views); !first) {
    return state.SkipWithError(first.error().message.c_str());
  }
  std::uint64_t allocations = 0;
  for (auto _ : state) {
    const std::uint64_t before = allocation_count();
    const double start = thread_seconds();
    auto result = call->kernel.run(call->views);
    state.SetIterationTime(thread_seconds() - start);
    allocations += allocation_count() - before;
    benchmark::DoNotOptimize(result);
    static_cast<void>(gpu::wait_until_idle(call->context()));
  }
  state.counters["allocs"] = benchmark::Counter(static_cast<double>(allocations), benchmark::Counter::kAvgIterations);
}

HostTensor zeros(const TensorSpec& spec) {
  const auto count = static_cast<std::size_t>(element_count(spec.shape).value_or(0));
  return {spec.dtype, spec.shape, std::vector<std::byte>(count * dtype_size(spec.dtype))};
}

void run_host(benchmark::State& state) {
  const Call* call = shared_call(state);
  if (call == nullptr) return;
  TensorMap inputs;
  for (const auto& [key, spec] : call->spec.inputs) inputs.emplace(key, zeros(spec));
  if (const auto first = call->kernel.run(inputs); !first) return state.SkipWithError(first.error().message.c_str());
  const AllocationMeter meter;
  for (auto _ : state) {
    auto result = call->kernel.run(inputs);
    benchmark::DoNotOptimize(result);
  }
  meter.report(state);
}

BENCHMARK(prepare)->Unit(benchmark::kMicrosecond);
BENCHMARK(bind)->Unit(benchmark::kMicrosecond);
// Their times are a small part of what an iteration takes, so time must not decide how many there are.
BENCHMARK(encode)->UseManualTime()->Iterations(200)->Unit(benchmark::kMicrosecond);
BENCHMARK(run_gpu)->UseManualTime()->Iterations(500)->Unit(benchmark::kMicrosecond);
BENCHMARK(run_host)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace wgk::bench
