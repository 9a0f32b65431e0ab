// Host time of recording and of submitting, next to the raw webgpu.h calls for the same dispatch in the same run.
//
//   encode_bench [--device gpu|software] [--check]
//
// --check ends with 1 where recording costs more than 1.1 times the raw calls or allocates, or where Kernel::run on GPU
// tensors costs more than 5 microseconds above the raw submission.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string_view>
#include <vector>

#include <webgpu/webgpu.h>

#include <wgk/wgk.hpp>

namespace {
std::size_t allocations = 0;
}  // namespace

// Counts what C++ code of this program allocates, the library included when it is linked statically. The WebGPU
// implementation has an allocator of its own.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kElements = 64;
constexpr int kCallsPerPass = 200;
constexpr int kRounds = 60;

const char* const kManifest = R"json({
  "domain": "bench", "name": "Double",
  "inputs": {"x": {"onnx": "X", "dtype": "float32"}},
  "outputs": {"y": {"onnx": "Y", "dtype": "float32", "shape": "shapes.x"}},
  "variants": [{"id": "only", "passes": [{"id": "main", "shader": "double.wgsl.jinja", "bindings": ["x", "y"],
    "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]}]
})json";

const char* const kTemplate = R"wgsl({{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] + x[id.x]; }
}
)wgsl";

/// The dispatch made by hand.
struct Raw {
  WGPUComputePipeline pipeline = nullptr;
  WGPUBindGroup group = nullptr;
};

Raw make_raw(WGPUDevice device, const wgk::Plan& plan, const wgk::GpuTensor& x, const wgk::GpuTensor& y) {
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = {plan.passes.at(0).wgsl.data(), plan.passes.at(0).wgsl.size()};
  WGPUShaderModuleDescriptor module_descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module_descriptor.nextInChain = &source.chain;
  WGPUShaderModule module = wgpuDeviceCreateShaderModule(device, &module_descriptor);
  WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  descriptor.compute.module = module;
  descriptor.compute.entryPoint = {"main", 4};
  Raw raw;
  raw.pipeline = wgpuDeviceCreateComputePipeline(device, &descriptor);
  WGPUBindGroupEntry entries[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
  entries[0].buffer = x.buffer();
  entries[1].binding = 1;
  entries[1].buffer = y.buffer();
  for (WGPUBindGroupEntry& entry : entries) entry.size = static_cast<std::uint64_t>(kElements) * 4;
  WGPUBindGroupLayout layout = wgpuComputePipelineGetBindGroupLayout(raw.pipeline, 0);
  WGPUBindGroupDescriptor group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  group.layout = layout;
  group.entryCount = 2;
  group.entries = entries;
  raw.group = wgpuDeviceCreateBindGroup(device, &group);
  wgpuBindGroupLayoutRelease(layout);
  wgpuShaderModuleRelease(module);
  return raw;
}

void encode_raw(WGPUComputePassEncoder pass, const Raw& raw) {
  wgpuComputePassEncoderSetPipeline(pass, raw.pipeline);
  wgpuComputePassEncoderSetBindGroup(pass, 0, raw.group, 0, nullptr);
  wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
}

double microseconds(Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

/// Time that this thread has computed. On a software adapter the "GPU" competes for the same processors, and what
/// counts is the work of the caller, not how long it was kept waiting.
double thread_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Timed {
  double microseconds_per_call = 0;
  std::size_t allocations = 0;
};

/// Time of recording alone; what was recorded is finished and dropped.
template <typename Encode>
Timed record(WGPUDevice device, Encode&& encode) {
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, nullptr);
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  const std::size_t before = allocations;
  const auto start = Clock::now();
  for (int i = 0; i < kCallsPerPass; ++i) encode(pass);
  const auto end = Clock::now();
  const std::size_t after = allocations;
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  wgpuCommandBufferRelease(wgpuCommandEncoderFinish(encoder, nullptr));
  wgpuCommandEncoderRelease(encoder);
  return {microseconds(end - start) / kCallsPerPass, after - before};
}

void submit_raw(WGPUDevice device, WGPUQueue queue, const Raw& raw) {
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, nullptr);
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  encode_raw(pass, raw);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

template <typename Submit>
double time_of(Submit&& submit) {
  const double start = thread_microseconds();
  submit();
  return thread_microseconds() - start;
}

int measure(wgk::DeviceKind kind, bool check) {
  const wgk::Device device = wgk::Device::open({.kind = kind}).value();
  const wgk::Kernel kernel(
      device,
      wgk::Package::from_memory({{"manifest.json", kManifest}, {"double.wgsl.jinja", kTemplate}}, "bench").value());
  const wgk::Prepared prepared = kernel.prepare({.inputs = {{"x", {wgk::DType::kFloat32, {kElements}}}}}).value();
  const wgk::GpuTensor x = prepared.create_tensor("x").value();
  const wgk::GpuTensor y = prepared.create_tensor("y").value();
  const wgk::Bound bound = prepared.bind({{"x", x}, {"y", y}}).value();
  const Raw raw = make_raw(device.webgpu_device(), prepared.plan(), x, y);
  WGPUQueue queue = wgpuDeviceGetQueue(device.webgpu_device());

  // The two sides take turns, so that whatever disturbs the machine disturbs both.
  std::vector<double> raw_encode, bound_encode, raw_submit, kernel_run;
  std::size_t encode_allocations = 0;
  for (int round = 0; round < kRounds; ++round) {
    raw_encode.push_back(record(device.webgpu_device(), [&](WGPUComputePassEncoder pass) {
                           encode_raw(pass, raw);
                         }).microseconds_per_call);
    const Timed timed = record(device.webgpu_device(), [&](WGPUComputePassEncoder pass) { bound.encode(pass); });
    bound_encode.push_back(timed.microseconds_per_call);
    encode_allocations += timed.allocations;
  }
  const wgk::GpuTensors tensors{{"x", x}, {"y", y}};
  kernel.run(tensors).value();
  for (int round = 0; round < kRounds * 10; ++round) {
    raw_submit.push_back(time_of([&] { submit_raw(device.webgpu_device(), queue, raw); }));
    kernel_run.push_back(time_of([&] { static_cast<void>(kernel.run(tensors)); }));
    // Work in flight is bounded, as in an application that looks at its results.
    if (round % 10 == 9) static_cast<void>(y.download());
  }

  const double ratio = median(bound_encode) / median(raw_encode);
  const double above = median(kernel_run) - median(raw_submit);
  std::printf("adapter: %s\n", device.profile().adapter.device.c_str());
  std::printf("record one dispatch, raw webgpu.h    %8.3f us\n", median(raw_encode));
  std::printf("record one dispatch, Bound::encode   %8.3f us   %.2f times raw, %zu allocations in %d calls\n",
              median(bound_encode), ratio, encode_allocations, kRounds * kCallsPerPass);
  std::printf("submit one dispatch, raw webgpu.h    %8.3f us\n", median(raw_submit));
  std::printf("submit one dispatch, Kernel::run     %8.3f us   %.2f us above raw\n", median(kernel_run), above);
  wgpuQueueRelease(queue);
  wgpuBindGroupRelease(raw.group);
  wgpuComputePipelineRelease(raw.pipeline);
  return check && (ratio > 1.1 || encode_allocations != 0 || above > 5) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  wgk::DeviceKind kind = wgk::DeviceKind::kSoftware;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") {
      check = true;
    } else if (argument == "--device" && i + 1 < argc) {
      kind = std::string_view(argv[++i]) == "gpu" ? wgk::DeviceKind::kGpu : wgk::DeviceKind::kSoftware;
    } else {
      std::fprintf(stderr, "usage: encode_bench [--device gpu|software] [--check]\n");
      return 2;
    }
  }
  try {
    return measure(kind, check);
  } catch (const wgk::Exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
