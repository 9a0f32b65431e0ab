// Several threads on one device, and several devices at once. Meant for -fsanitize=thread as well.
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/engine_support.h"

namespace wgk::test {
namespace {

class Threads : public ::testing::Test {
 protected:
  void SetUp() override { WGK_NEEDS_SOFTWARE_DEVICE(); }
};

constexpr int kRounds = 20;

/// Runs every body on a thread of its own.
template <typename... Bodies>
void in_parallel(Bodies... bodies) {
  std::vector<std::thread> threads;
  (threads.emplace_back(bodies), ...);
  for (std::thread& thread : threads) thread.join();
}

/// Whether doubling works in all the ways there are; false when anything fails.
bool doubles(const Device& device, float first) {
  const Kernel kernel = double_kernel(device);
  for (int round = 0; round < kRounds; ++round) {
    const HostTensor x = floats({2}, {first, static_cast<float>(round)});
    const HostTensor y = floats({2}, {2 * first, static_cast<float>(2 * round)});
    const auto on_host = kernel.run(TensorMap{{"x", x}});
    if (!on_host.ok() || !((*on_host)["y"] == y)) return false;
    const auto input = GpuTensor::upload(device, x);
    if (!input.ok()) return false;
    const auto on_gpu = kernel.run(GpuTensors{{"x", *input}});
    if (!on_gpu.ok()) return false;
    const auto back = on_gpu->outputs.front().second.download();
    if (!back.ok() || !(*back == y)) return false;
  }
  return true;
}

/// Whether incrementing a tensor in place works, prepared anew in every round.
bool increments(const Device& device) {
  const Kernel kernel(device, package_of(in_place_files(), "increment"));
  auto x = GpuTensor::upload(device, floats({1}, {0}));
  if (!x.ok()) return false;
  for (int round = 0; round < kRounds; ++round) {
    auto prepared = kernel.prepare_async({.inputs = {{"x", {DType::kFloat32, {1}}}}}).get();
    if (!prepared.ok()) return false;
    const auto bound = prepared->bind({{"x", *x}});
    if (!bound.ok() || !bound->submit().ok()) return false;
  }
  const auto back = x->download();
  return back.ok() && *back == floats({1}, {kRounds});
}

TEST_F(Threads, TwoKernelsOnOneDevice) {
  const Device& device = *software_device();
  bool doubled = false;
  bool incremented = false;
  in_parallel([&] { doubled = doubles(device, 3); }, [&] { incremented = increments(device); });
  EXPECT_TRUE(doubled);
  EXPECT_TRUE(incremented);
}

TEST_F(Threads, TwoDevicesInOneProcess) {
  const Device first = Device::open({.kind = DeviceKind::kSoftware}).value();
  const Device second = Device::open({.kind = DeviceKind::kSoftware}).value();
  bool one = false;
  bool two = false;
  in_parallel([&] { one = doubles(first, 3); }, [&] { two = doubles(second, 5); });
  EXPECT_TRUE(one);
  EXPECT_TRUE(two);
}

TEST_F(Threads, OneKernelAndItsCachesAreShared) {
  const Device& device = *software_device();
  const Kernel kernel = double_kernel(device);
  std::atomic<int> failures = 0;
  const auto body = [&](std::int64_t size) {
    const HostTensor x = floats({size}, std::vector<float>(static_cast<std::size_t>(size), 1));
    const HostTensor y = floats({size}, std::vector<float>(static_cast<std::size_t>(size), 2));
    const GpuTensor input = upload(device, x);
    const GpuTensor output = GpuTensor::create(device, DType::kFloat32, {size}).value();
    for (int round = 0; round < kRounds; ++round) {
      if (!kernel.run(GpuTensors{{"x", input}, {"y", output}}).ok()) ++failures;
      if (round % 7 == 3) kernel.clear_cache();
    }
    const auto back = output.download();
    if (!back.ok() || !(*back == y)) ++failures;
  };
  in_parallel([&] { body(4); }, [&] { body(5); }, [&] { body(4); });
  EXPECT_EQ(failures, 0);
}

TEST_F(Threads, ErrorsStayWithTheirCall) {
  const Device& device = *software_device();
  Files files = double_package_files();
  files["double.wgsl.jinja"] += "\nfn broken( {";
  const Kernel broken(device, package_of(files, "double"));
  std::atomic<int> silent = 0;
  bool doubled = false;
  in_parallel([&] { doubled = doubles(device, 7); },
              [&] {
                for (int round = 0; round < kRounds; ++round) {
                  if (broken.prepare({.inputs = {{"x", {DType::kFloat32, {4}}}}}).ok()) ++silent;
                }
              });
  EXPECT_TRUE(doubled);
  EXPECT_EQ(silent, 0);
}

}  // namespace
}  // namespace wgk::test
