// Hand-written plans and the device that the tests of this folder run on.
#pragma once

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/gpu_device.h"

namespace wgk::gpu::testing {

/// CI sets this variable, so that a machine that lost its adapter cannot pass by skipping.
inline bool adapter_required() {
  const char* value = std::getenv("WGK_REQUIRE_ADAPTER");
  return value != nullptr && std::string_view(value) == "1";
}

/// Opens a software device for each test; skips, or fails in CI, where there is none.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.kind = DeviceKind::kSoftware;
    auto opened = GpuDevice::open(options);
    if (!opened.ok()) {
      if (adapter_required()) FAIL() << opened.error().message;
      GTEST_SKIP() << "no software adapter: " << opened.error().message;
    }
    device = *std::move(opened);
    RecordProperty("adapter", device->profile().adapter.device);
    static const bool printed = [&] {
      std::cout << "adapter: " << device->profile().adapter.device << '\n';
      return true;
    }();
    static_cast<void>(printed);
  }

  std::shared_ptr<GpuDevice> device;
};

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

inline PlanTensor tensor(std::string key, std::uint64_t bytes, bool is_input, bool is_output) {
  PlanTensor result;
  result.key = key;
  result.onnx_name = std::move(key);
  result.shape = {static_cast<std::int64_t>(bytes / 4)};
  result.storage_bytes = bytes;
  result.is_input = is_input;
  result.is_output = is_output;
  return result;
}
inline PlanTensor input(std::string key, std::uint64_t bytes) { return tensor(std::move(key), bytes, true, false); }
inline PlanTensor output(std::string key, std::uint64_t bytes) { return tensor(std::move(key), bytes, false, true); }

inline PlanBinding bind(std::string name, BindingAccess access, PlanBinding::Source source, std::uint32_t index,
                        std::uint64_t bytes) {
  PlanBinding binding;
  binding.name = std::move(name);
  binding.access = access;
  binding.source = source;
  binding.index = index;
  binding.size_bytes = bytes;
  return binding;
}
inline PlanBinding read(std::uint32_t tensor, std::uint64_t bytes) {
  return bind("t" + std::to_string(tensor), BindingAccess::kReadOnlyStorage, PlanBinding::Source::kTensor, tensor,
              bytes);
}
inline PlanBinding write(std::uint32_t tensor, std::uint64_t bytes) {
  return bind("t" + std::to_string(tensor), BindingAccess::kStorage, PlanBinding::Source::kTensor, tensor, bytes);
}

inline PlanPass pass(std::string id, std::string wgsl, std::vector<PlanBinding> bindings,
                     std::array<std::uint32_t, 3> workgroups = {1, 1, 1}) {
  PlanPass result;
  result.id = std::move(id);
  result.shader = "test.wgsl";
  result.wgsl = std::move(wgsl);
  result.bindings = std::move(bindings);
  result.workgroups = workgroups;
  return result;
}

inline Plan plan_of(std::vector<PlanTensor> tensors, std::vector<PlanPass> passes) {
  Plan plan;
  plan.op = "test.Op";
  plan.variant = "plain";
  plan.tensors = std::move(tensors);
  plan.passes = std::move(passes);
  return plan;
}

/// y = x * 2 over `count` float32 elements; the dispatch may start more invocations than there are elements.
inline const char* const kDouble = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
  let i = id.x + id.y * n.x * 64u;
  if (i < arrayLength(&y)) { y[i] = x[i] * 2.0; }
})";

inline Plan double_plan(std::uint32_t count, std::array<std::uint32_t, 3> workgroups) {
  const std::uint64_t bytes = std::uint64_t{count} * 4;
  return plan_of({input("x", bytes), output("y", bytes)},
                 {pass("main", kDouble, {read(0, bytes), write(1, bytes)}, workgroups)});
}

inline Result<std::vector<std::vector<std::byte>>> run(GpuDevice& device, const Plan& plan,
                                                       const std::vector<std::vector<std::byte>>& inputs) {
  std::vector<std::span<const std::byte>> spans(inputs.begin(), inputs.end());
  return device.run(plan, spans);
}

/// The message of a run that must fail with kDevice.
inline std::string failure_of(const Result<std::vector<std::vector<std::byte>>>& result) {
  if (result.ok()) return "(no error)";
  EXPECT_EQ(result.error().code, ErrorCode::kDevice);
  return result.error().message;
}

}  // namespace wgk::gpu::testing
