// What the tests of prepared calls share: packages, tensors, and a device made by plain webgpu.h calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <wgk/kernel.hpp>
#include <wgk/prepared.hpp>

#include "gpu/webgpu_api.h"
#include "support/package_folder.h"
#include "support/software_device.h"

namespace wgk::test {

using Files = std::map<std::string, std::string>;

inline Package package_of(const Files& files, const std::string& name) {
  auto package = Package::from_memory(files, name);
  if (!package.ok()) ADD_FAILURE() << package.error().message;
  return std::move(package).value();
}

inline Package rope_package() {
  return Package::load(std::string(WGK_SOURCE_DIR) + "/kernels/ai.onnx.RotaryEmbedding").value();
}

inline Kernel double_kernel(const Device& device) {
  return Kernel(device, package_of(double_package_files(), "double"));
}

/// x is changed in place: x = x + 1.
inline Files in_place_files() {
  return {{"manifest.json", R"json({
  "domain": "test", "name": "Increment",
  "inputs": {"x": {"onnx": "X", "dtype": "float32"}},
  "outputs": {"x": {"onnx": "X", "dtype": "float32"}},
  "variants": [{"id": "only", "passes": [{"id": "main", "shader": "increment.wgsl.jinja", "bindings": ["x"],
    "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]}]
})json"},
          {"increment.wgsl.jinja", R"wgsl({{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&x)) { x[id.x] = x[id.x] + 1.0; }
}
)wgsl"}};
}

/// Adds x to a scratch buffer that must be zero, then copies it: y = x, or more when nobody cleared.
inline Files accumulate_files() {
  return {{"manifest.json", R"json({
  "domain": "test", "name": "Accumulate",
  "inputs": {"x": {"onnx": "X", "dtype": "float32"}},
  "outputs": {"y": {"onnx": "Y", "dtype": "float32", "shape": "shapes.x"}},
  "variants": [{"id": "only",
    "intermediates": [{"id": "sum", "dtype": "float32", "shape": "shapes.x", "zeroInit": true}],
    "passes": [
    {"id": "add", "shader": "add.wgsl.jinja", "bindings": ["x", {"name": "sum", "scratch": "sum"}],
     "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}},
    {"id": "copy", "shader": "copy.wgsl.jinja", "bindings": [{"name": "sum", "scratch": "sum"}, "y"],
     "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]}]
})json"},
          {"add.wgsl.jinja", R"wgsl({{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&x)) { sum[id.x] = sum[id.x] + x[id.x]; }
}
)wgsl"},
          {"copy.wgsl.jinja", R"wgsl({{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = sum[id.x]; }
}
)wgsl"}};
}

/// Two variants of y = x: `wide` reads vec4<f32>, `narrow` reads f32.
inline Files two_width_files() {
  return {{"manifest.json", R"json({
  "domain": "test", "name": "Copy",
  "inputs": {"x": {"onnx": "X", "dtype": "float32"}},
  "outputs": {"y": {"onnx": "Y", "dtype": "float32", "shape": "shapes.x"}},
  "variants": [
    {"id": "wide", "priority": 2, "passes": [{"id": "main", "shader": "copy.wgsl.jinja",
      "bindings": [{"name": "x", "arg": "x", "elementType": "vec4<f32>"},
                   {"name": "y", "arg": "y", "elementType": "vec4<f32>"}],
      "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]},
    {"id": "narrow", "priority": 1, "passes": [{"id": "main", "shader": "copy.wgsl.jinja", "bindings": ["x", "y"],
      "dispatch": {"threads": "numel(shapes.x)", "workgroupSize": 64}}]}]
})json"},
          {"copy.wgsl.jinja", R"wgsl({{ env.wgsl.resourceDeclarations }}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[id.x]; }
}
)wgsl"}};
}

inline HostTensor floats(Shape shape, std::vector<float> values) {
  return HostTensor::from<float>(std::move(shape), values);
}

inline TensorSpec spec_of(const HostTensor& tensor) { return {tensor.dtype, tensor.shape}; }

inline GpuTensor upload(const Device& device, const HostTensor& tensor) {
  auto result = GpuTensor::upload(device, tensor);
  if (!result.ok()) ADD_FAILURE() << result.error().message;
  return std::move(result).value();
}

/// A software device that the library did not make.
class RawDevice {
 public:
  RawDevice() {
    WGPUInstanceExtras extras{};
    extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
    extras.backends = WGPUInstanceBackend_Vulkan;
    WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &extras.chain;
    instance = wgpuCreateInstance(&descriptor);
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.forceFallbackAdapter = WGPU_TRUE;
    WGPURequestAdapterCallbackInfo on_adapter = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    on_adapter.mode = WGPUCallbackMode_AllowProcessEvents;
    on_adapter.callback = [](WGPURequestAdapterStatus, WGPUAdapter found, WGPUStringView, void* self, void*) {
      static_cast<RawDevice*>(self)->adapter = found;
    };
    on_adapter.userdata1 = this;
    wgpuInstanceRequestAdapter(instance, &options, on_adapter);
    while (adapter == nullptr) wgpuInstanceProcessEvents(instance);

    const WGPUFeatureName features[] = {WGPUFeatureName_TimestampQuery};
    WGPUDeviceDescriptor wanted = WGPU_DEVICE_DESCRIPTOR_INIT;
    wanted.requiredFeatureCount = 1;
    wanted.requiredFeatures = features;
    wanted.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
    wanted.deviceLostCallbackInfo.callback = [](WGPUDevice const*, WGPUDeviceLostReason reason, WGPUStringView,
                                                void* self, void*) {
      if (reason != WGPUDeviceLostReason_Destroyed) static_cast<RawDevice*>(self)->lost = true;
    };
    wanted.deviceLostCallbackInfo.userdata1 = this;
    wanted.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType, WGPUStringView text, void* self,
                                                     void*) {
      static_cast<RawDevice*>(self)->errors.push_back(gpu::from_wgpu(text));
    };
    wanted.uncapturedErrorCallbackInfo.userdata1 = this;
    WGPURequestDeviceCallbackInfo on_device = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    on_device.mode = WGPUCallbackMode_AllowProcessEvents;
    on_device.callback = [](WGPURequestDeviceStatus, WGPUDevice made, WGPUStringView, void* self, void*) {
      static_cast<RawDevice*>(self)->device = made;
    };
    on_device.userdata1 = this;
    wgpuAdapterRequestDevice(adapter, &wanted, on_device);
    while (device == nullptr) wgpuInstanceProcessEvents(instance);
    queue = wgpuDeviceGetQueue(device);
  }
  ~RawDevice() {
    wgpuQueueRelease(queue);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
  }
  RawDevice(const RawDevice&) = delete;
  RawDevice& operator=(const RawDevice&) = delete;

  WGPUBuffer buffer(std::uint64_t size, WGPUBufferUsage usage) const {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.size = size;
    descriptor.usage = usage;
    return wgpuDeviceCreateBuffer(device, &descriptor);
  }

  /// Reads floats back by plain calls.
  std::vector<float> read(WGPUBuffer source, std::size_t count) const {
    const std::size_t size = count * sizeof(float);
    WGPUBuffer staging = buffer(size, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, nullptr);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, source, 0, staging, 0, size);
    submit(encoder);
    bool mapped = false;
    WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowProcessEvents;
    info.callback = [](WGPUMapAsyncStatus, WGPUStringView, void* done, void*) { *static_cast<bool*>(done) = true; };
    info.userdata1 = &mapped;
    wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, size, info);
    while (!mapped) wgpuDevicePoll(device, WGPU_FALSE, nullptr);
    std::vector<float> values(count);
    std::memcpy(values.data(), wgpuBufferGetConstMappedRange(staging, 0, size), size);
    wgpuBufferRelease(staging);
    return values;
  }

  void submit(WGPUCommandEncoder encoder) const {
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
    wgpuQueueSubmit(queue, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
  }

  WGPUInstance instance = nullptr;
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  bool lost = false;
  std::vector<std::string> errors;
};

/// Records with `record(pass)` into one compute pass of one submission on a device of the library.
template <typename Record>
void submit_pass(const Device& device, Record&& record) {
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device.webgpu_device(), nullptr);
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  record(pass);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  WGPUQueue queue = wgpuDeviceGetQueue(device.webgpu_device());
  wgpuQueueSubmit(queue, 1, &commands);
  wgpuQueueRelease(queue);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

}  // namespace wgk::test
