// Devices that the application made by plain webgpu.h calls.
#include <atomic>
#include <optional>
#include <thread>

#include "runtime/engine_support.h"

namespace wgk::test {
namespace {

class Adopt : public ::testing::Test {
 protected:
  void SetUp() override { WGK_NEEDS_SOFTWARE_DEVICE(); }
};

constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

TEST_F(Adopt, TheDeviceGoesOnWhenAllObjectsOfTheLibraryAreGone) {
  const RawDevice raw;
  WGPUBuffer in = raw.buffer(16, kUsage);
  WGPUBuffer out = raw.buffer(16, kUsage);
  const float values[] = {1, 2, 3, 4};
  wgpuQueueWriteBuffer(raw.queue, in, 0, values, sizeof(values));
  {
    const Device device = Device::adopt(raw.instance, raw.device, {.adapter = raw.adapter}).value();
    EXPECT_EQ(device.kind(), DeviceKind::kSoftware);
    EXPECT_FALSE(device.profile().adapter.device.empty());
    EXPECT_FALSE(device.profile().has_feature("shader-f16")) << "the device was made without it";
    EXPECT_TRUE(device.profile().has_feature("timestamp-query"));
    EXPECT_EQ(device.webgpu_device(), raw.device);
    const Kernel kernel = double_kernel(device);
    const GpuView x{in, DType::kFloat32, {4}, 0, 0};
    const GpuView y{out, DType::kFloat32, {4}, 0, 0};
    const auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {4}}}}});
    ASSERT_TRUE(prepared.ok()) << prepared.error().message;
    const Bound bound = prepared->bind({{"x", x}, {"y", y}}).value();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(raw.device, nullptr);
    bound.encode(encoder);
    raw.submit(encoder);
    EXPECT_EQ(raw.read(out, 4), (std::vector<float>{2, 4, 6, 8}));
    ASSERT_TRUE(kernel.run(TensorMap{{"x", floats({2}, {1, 2})}}).ok());
  }
  EXPECT_FALSE(raw.lost);
  WGPUBuffer more = raw.buffer(16, kUsage);
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(raw.device, nullptr);
  wgpuCommandEncoderCopyBufferToBuffer(encoder, out, 0, more, 0, 16);
  raw.submit(encoder);
  EXPECT_EQ(raw.read(more, 4), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_TRUE(raw.errors.empty()) << raw.errors.front();
  for (WGPUBuffer buffer : {in, out, more}) wgpuBufferRelease(buffer);
}

TEST_F(Adopt, WorksWithoutInstanceAndAdapter) {
  const RawDevice raw;
  const Device device = Device::adopt(nullptr, raw.device).value();
  EXPECT_TRUE(device.profile().adapter.device.empty());
  EXPECT_EQ(double_kernel(device)(TensorMap{{"x", floats({1}, {21})}})["y"], floats({1}, {42}));
}

TEST_F(Adopt, ANullDeviceIsRefused) {
  const auto device = Device::adopt(nullptr, nullptr);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().code, ErrorCode::kUsage);
}

TEST_F(Adopt, TheApplicationMayOwnTheEventLoop) {
  const RawDevice raw;
  const Device device = Device::adopt(raw.instance, raw.device, {.application_polls = true}).value();
  const GpuTensor x = upload(device, floats({2}, {1, 2}));
  const auto result = double_kernel(device).run(GpuTensors{{"x", x}});
  ASSERT_TRUE(result.ok()) << result.error().message;
  Download download = result->outputs[0].second.download_async().value();
  const auto too_early = download.get(std::chrono::milliseconds(20));
  ASSERT_FALSE(too_early.ok()) << "nobody polled, so nothing can have arrived";
  EXPECT_EQ(too_early.error().message, "the data did not arrive within 20 ms");
  while (!download.ready()) {
    wgpuDevicePoll(raw.device, WGPU_FALSE, nullptr);
    wgpuInstanceProcessEvents(raw.instance);
  }
  EXPECT_EQ(download.get().value(), floats({2}, {2, 4}));
}

TEST_F(Adopt, ViewsAreCheckedAgainstTheirBuffer) {
  const RawDevice raw;
  const Device device = Device::adopt(raw.instance, raw.device).value();
  WGPUBuffer storage = raw.buffer(1024, kUsage);
  WGPUBuffer uniform = raw.buffer(1024, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
  const GpuView good{storage, DType::kFloat32, {4}, 256, 16};
  std::optional<GpuTensor> tensor = GpuTensor::wrap(device, good).value();
  ASSERT_TRUE(tensor->write(floats({4}, {1, 2, 3, 4})).ok());
  EXPECT_EQ(tensor->download().value(), floats({4}, {1, 2, 3, 4}));
  EXPECT_EQ(raw.read(storage, 68)[66], 3.0F);
  tensor.reset();

  for (const GpuView& bad :
       {GpuView{nullptr, DType::kFloat32, {4}, 0, 0}, GpuView{storage, DType::kFloat32, {4}, 0, 12},
        GpuView{storage, DType::kFloat32, {4}, 1020, 0}, GpuView{storage, DType::kFloat32, {4}, 2048, 0},
        GpuView{storage, DType::kFloat32, {4}, 2, 0}, GpuView{storage, DType::kFloat32, {4}, 256, ~std::uint64_t{0}}}) {
    const auto wrapped = GpuTensor::wrap(device, bad);
    ASSERT_FALSE(wrapped.ok());
    EXPECT_EQ(wrapped.error().code, ErrorCode::kRequest);
  }
  const auto prepared = double_kernel(device).prepare({.inputs = {{"x", {DType::kFloat32, {4}}}}});
  const auto bound = prepared.value().bind(
      {{"x", {uniform, DType::kFloat32, {4}, 0, 0}}, {"y", {storage, DType::kFloat32, {4}, 0, 0}}});
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().message, "test.Double: x: the buffer lacks the usage WGPUBufferUsage_Storage");
  EXPECT_EQ(raw.read(storage, 67)[66], 3.0F) << "dropping the tensor left the buffer alone";
  wgpuBufferRelease(storage);
  wgpuBufferRelease(uniform);
}

}  // namespace
}  // namespace wgk::test
