// The front part of Llama-style attention on the application's own device: q and k of 32 layers are rotated by 32 calls
// recorded into one compute pass, one dispatch for q and k of a layer. Shapes are fixed, so everything is prepared once
// and bound once; a decoding step then only writes the position and records.
#include <cmath>
#include <cstdio>
#include <vector>

#include <wgk/wgk.hpp>

#include "own_device.h"

namespace {

using wgk::DType;
using wgk::GpuTensor;
using wgk::HostTensor;

constexpr int kLayers = 32;
constexpr std::int64_t kQueryHeads = 32;
constexpr std::int64_t kKeyHeads = 8;
constexpr std::int64_t kHeadSize = 128;
constexpr std::int64_t kContext = 512;

/// cos or sin of position / 10000^(2 i / head size).
HostTensor cache(double (*function)(double)) {
  std::vector<float> values;
  for (std::int64_t position = 0; position < kContext; ++position) {
    for (std::int64_t i = 0; i < kHeadSize / 2; ++i) {
      const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(kHeadSize));
      values.push_back(static_cast<float>(function(static_cast<double>(position) * frequency)));
    }
  }
  return HostTensor::from<float>({kContext, kHeadSize / 2}, values);
}

/// What one layer owns. A real engine has these buffers anyway and passes views of them.
struct Layer {
  GpuTensor q, k, rotated_q, rotated_k;
  wgk::Bound rotate;
};

/// What all layers of a step share.
struct Shared {
  const GpuTensor& cos;
  const GpuTensor& sin;
  const GpuTensor& position;
};

Layer make_layer(const wgk::Device& device, const wgk::Prepared& prepared, const Shared& shared) {
  const auto ones = [](std::int64_t heads) {
    return HostTensor::from<float>({1, heads, 1, kHeadSize},
                                   std::vector<float>(static_cast<std::size_t>(heads * kHeadSize), 1));
  };
  GpuTensor q = GpuTensor::upload(device, ones(kQueryHeads)).value();
  GpuTensor k = GpuTensor::upload(device, ones(kKeyHeads)).value();
  GpuTensor rotated_q = prepared.create_tensor("qRotated").value();
  GpuTensor rotated_k = prepared.create_tensor("kRotated").value();
  wgk::Bound rotate = prepared
                          .bind({{"q", q},
                                 {"k", k},
                                 {"cos", shared.cos},
                                 {"sin", shared.sin},
                                 {"positionIds", shared.position},
                                 {"qRotated", rotated_q},
                                 {"kRotated", rotated_k}})
                          .value();
  return {std::move(q), std::move(k), std::move(rotated_q), std::move(rotated_k), std::move(rotate)};
}

/// The application's part of a step: one encoder, one pass, one submission.
void decode(const OwnDevice& own, const std::vector<Layer>& layers) {
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(own.device, nullptr);
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
  for (const Layer& layer : layers) layer.rotate.encode(pass);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuCommandEncoderRelease(encoder);
  wgpuQueueSubmit(own.queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
}

/// Whether every head of every layer was rotated as the formula says for x = 1: y = cos - sin, then cos + sin.
bool check(const std::vector<Layer>& layers, const HostTensor& cos, const HostTensor& sin, std::int64_t position) {
  constexpr auto kHalf = static_cast<std::size_t>(kHeadSize / 2);
  const std::size_t row = static_cast<std::size_t>(position) * kHalf;
  for (const Layer& layer : layers) {
    for (const GpuTensor* tensor : {&layer.rotated_q, &layer.rotated_k}) {
      const HostTensor y = tensor->download().value();
      for (std::size_t i = 0; i < y.as<float>().size(); ++i) {
        const std::size_t column = i % kHalf;
        const bool second = i % (2 * kHalf) >= kHalf;
        const float c = cos.as<float>()[row + column];
        const float s = sin.as<float>()[row + column];
        if (std::abs(y.as<float>()[i] - (second ? c + s : c - s)) > 1e-6F) return false;
      }
    }
  }
  return true;
}

void run(const OwnDevice& own) {
  const wgk::Device device = wgk::Device::adopt(own.instance, own.device, {.adapter = own.adapter}).value();
  const wgk::Kernel rope(device, wgk::Package::load("wgk.RotaryEmbeddingQK").value());
  const HostTensor cos = cache(std::cos);
  const HostTensor sin = cache(std::sin);
  const GpuTensor gpu_cos = GpuTensor::upload(device, cos).value();
  const GpuTensor gpu_sin = GpuTensor::upload(device, sin).value();
  GpuTensor position = GpuTensor::create(device, DType::kInt64, {1, 1}).value();

  const wgk::Prepared prepared = rope.prepare({.inputs = {{"q", {DType::kFloat32, {1, kQueryHeads, 1, kHeadSize}}},
                                                          {"k", {DType::kFloat32, {1, kKeyHeads, 1, kHeadSize}}},
                                                          {"cos", {DType::kFloat32, cos.shape}},
                                                          {"sin", {DType::kFloat32, sin.shape}},
                                                          {"positionIds", {DType::kInt64, {1, 1}}}}})
                                     .value();
  std::vector<Layer> layers;
  for (int i = 0; i < kLayers; ++i) layers.push_back(make_layer(device, prepared, {gpu_cos, gpu_sin, position}));

  for (const std::int64_t step : {0, 1, 511}) {
    position.write(HostTensor::from<std::int64_t>({1, 1}, {step})).check();
    decode(own, layers);
    std::printf("position %3d: %d layers, q and k by %s: %s\n", static_cast<int>(step), kLayers,
                prepared.plan().variant.c_str(), check(layers, cos, sin, step) ? "right" : "WRONG");
  }
}

}  // namespace

int main() {
  OwnDevice own;
  int result = 0;
  if (own_device_open(&own)) {
    try {
      run(own);
      // All objects of wgk are gone here; the device is still the application's.
      WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
      descriptor.size = 16;
      descriptor.usage = WGPUBufferUsage_CopyDst;
      WGPUBuffer buffer = wgpuDeviceCreateBuffer(own.device, &descriptor);
      std::printf("the device goes on: %s\n", buffer != nullptr ? "yes" : "no");
      if (buffer != nullptr) wgpuBufferRelease(buffer);
    } catch (const wgk::Exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      result = 1;
    }
  } else {
    std::fprintf(stderr, "no WebGPU adapter\n");
    result = 1;
  }
  own_device_close(&own);
  return result;
}
