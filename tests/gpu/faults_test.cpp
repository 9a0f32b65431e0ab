// The layer under a table of WebGPU functions that counts references and makes the N-th call fail.
#include <functional>
#include <map>

#include "base/try.h"
#include "gpu/bound_plan.h"
#include "gpu/call_buffers.h"
#include "gpu/plans.h"
#include "gpu/prepared_plan.h"
#include "gpu/procs.h"
#include "gpu/timestamps.h"
#include "gpu/transfer.h"

namespace wgk::gpu::testing {
namespace {

/// What the replaced functions share; static because they are plain function pointers.
struct Fakes {
  Procs real;
  Procs table;
  std::map<const void*, int> references;
  int calls = 0;
  int fail_at = 0;  ///< 0: never
  int lose_at = 0;  ///< the call before which the device is lost; 0: never
  WGPUDevice device = nullptr;
  WGPUDeviceLostCallbackInfo on_lost = {};
  bool bad_release = false;

  bool fails() {
    ++calls;
    if (calls == lose_at && device != nullptr && on_lost.callback != nullptr) {
      on_lost.callback(&device, WGPUDeviceLostReason_Unknown, to_wgpu("injected"), on_lost.userdata1,
                       on_lost.userdata2);
    }
    return calls == fail_at;
  }
  void acquired(const void* object) {
    if (object != nullptr) ++references[object];
  }
  void released(const void* object) {
    if (object == nullptr || --references[object] < 0) bad_release = true;
    if (references[object] == 0) references.erase(object);
  }
};
Fakes* fakes = nullptr;

// A function that returns a new object: counts it, or fails with null.
template <auto Member, typename Object, typename... Args>
void fake_create(Object (*Procs::*)(Args...)) {
  fakes->table.*Member = [](Args... args) -> Object {
    if (fakes->fails()) return nullptr;
    Object object = (fakes->real.*Member)(args...);
    fakes->acquired(object);
    return object;
  };
}

template <auto Member, typename Object>
void fake_release(void (*Procs::*)(Object)) {
  fakes->table.*Member = [](Object object) {
    fakes->released(object);
    (fakes->real.*Member)(object);
  };
}

template <auto Member, typename Object>
void fake_add_ref(void (*Procs::*)(Object)) {
  fakes->table.*Member = [](Object object) {
    fakes->acquired(object);
    (fakes->real.*Member)(object);
  };
}

struct DeviceRequest {
  WGPURequestDeviceCallbackInfo info;
};
struct AdapterRequest {
  WGPURequestAdapterCallbackInfo info;
};

const WGPUStringView kInjected = to_wgpu("injected");

void fake_requests_and_callbacks() {
  Procs& table = fakes->table;
  table.wgpuInstanceRequestAdapter = [](WGPUInstance instance, WGPURequestAdapterOptions const* options,
                                        WGPURequestAdapterCallbackInfo info) {
    if (fakes->fails()) {
      info.callback(WGPURequestAdapterStatus_Error, nullptr, kInjected, info.userdata1, info.userdata2);
      return WGPUFuture{};
    }
    auto* request = new AdapterRequest{info};
    info.callback = [](WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView text, void* data, void*) {
      const std::unique_ptr<AdapterRequest> owner(static_cast<AdapterRequest*>(data));
      fakes->acquired(adapter);
      owner->info.callback(status, adapter, text, owner->info.userdata1, owner->info.userdata2);
    };
    info.userdata1 = request;
    return fakes->real.wgpuInstanceRequestAdapter(instance, options, info);
  };
  table.wgpuAdapterRequestDevice = [](WGPUAdapter adapter, WGPUDeviceDescriptor const* descriptor,
                                      WGPURequestDeviceCallbackInfo info) {
    if (fakes->fails()) {
      info.callback(WGPURequestDeviceStatus_Error, nullptr, kInjected, info.userdata1, info.userdata2);
      return WGPUFuture{};
    }
    auto* request = new DeviceRequest{info};
    fakes->on_lost = descriptor->deviceLostCallbackInfo;
    info.callback = [](WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView text, void* data, void*) {
      const std::unique_ptr<DeviceRequest> owner(static_cast<DeviceRequest*>(data));
      fakes->acquired(device);
      fakes->device = device;
      owner->info.callback(status, device, text, owner->info.userdata1, owner->info.userdata2);
    };
    info.userdata1 = request;
    return fakes->real.wgpuAdapterRequestDevice(adapter, descriptor, info);
  };
  table.wgpuDevicePopErrorScope = [](WGPUDevice device, WGPUPopErrorScopeCallbackInfo info) {
    if (!fakes->fails()) return fakes->real.wgpuDevicePopErrorScope(device, info);
    WGPUPopErrorScopeCallbackInfo ignore = info;
    ignore.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType, WGPUStringView, void*, void*) {};
    static_cast<void>(fakes->real.wgpuDevicePopErrorScope(device, ignore));
    info.callback(WGPUPopErrorScopeStatus_Success, WGPUErrorType_OutOfMemory, kInjected, info.userdata1,
                  info.userdata2);
    return WGPUFuture{};
  };
  table.wgpuBufferMapAsync = [](WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size,
                                WGPUBufferMapCallbackInfo info) {
    if (!fakes->fails()) return fakes->real.wgpuBufferMapAsync(buffer, mode, offset, size, info);
    info.callback(WGPUMapAsyncStatus_Error, kInjected, info.userdata1, info.userdata2);
    return WGPUFuture{};
  };
  table.wgpuQueueOnSubmittedWorkDone = [](WGPUQueue queue, WGPUQueueWorkDoneCallbackInfo info) {
    if (!fakes->fails()) return fakes->real.wgpuQueueOnSubmittedWorkDone(queue, info);
    info.callback(WGPUQueueWorkDoneStatus_Error, kInjected, info.userdata1, info.userdata2);
    return WGPUFuture{};
  };
  table.wgpuBufferGetConstMappedRange = [](WGPUBuffer buffer, size_t offset, size_t size) -> void const* {
    return fakes->fails() ? nullptr : fakes->real.wgpuBufferGetConstMappedRange(buffer, offset, size);
  };
  table.wgpuAdapterGetInfo = [](WGPUAdapter adapter, WGPUAdapterInfo* info) {
    return fakes->fails() ? WGPUStatus_Error : fakes->real.wgpuAdapterGetInfo(adapter, info);
  };
  table.wgpuAdapterGetLimits = [](WGPUAdapter adapter, WGPULimits* limits) {
    return fakes->fails() ? WGPUStatus_Error : fakes->real.wgpuAdapterGetLimits(adapter, limits);
  };
}

#define WGK_FAKE_CREATE(name) fake_create<&Procs::name>(&Procs::name)
#define WGK_FAKE_RELEASE(name) fake_release<&Procs::name>(&Procs::name)

#define WGK_FAKE_ADD_REF(name) fake_add_ref<&Procs::name>(&Procs::name)

void install_fakes() {
  WGK_FAKE_ADD_REF(wgpuInstanceAddRef);
  WGK_FAKE_ADD_REF(wgpuDeviceAddRef);
  WGK_FAKE_ADD_REF(wgpuBufferAddRef);
  WGK_FAKE_CREATE(wgpuDeviceCreateQuerySet);
  WGK_FAKE_RELEASE(wgpuQuerySetRelease);

  WGK_FAKE_CREATE(wgpuCreateInstance);
  WGK_FAKE_CREATE(wgpuDeviceGetQueue);
  WGK_FAKE_CREATE(wgpuDeviceCreateBuffer);
  WGK_FAKE_CREATE(wgpuDeviceCreateShaderModule);
  WGK_FAKE_CREATE(wgpuDeviceCreateBindGroupLayout);
  WGK_FAKE_CREATE(wgpuDeviceCreatePipelineLayout);
  WGK_FAKE_CREATE(wgpuDeviceCreateComputePipeline);
  WGK_FAKE_CREATE(wgpuDeviceCreateBindGroup);
  WGK_FAKE_CREATE(wgpuDeviceCreateCommandEncoder);
  WGK_FAKE_CREATE(wgpuCommandEncoderBeginComputePass);
  WGK_FAKE_CREATE(wgpuCommandEncoderFinish);
  WGK_FAKE_RELEASE(wgpuInstanceRelease);
  WGK_FAKE_RELEASE(wgpuAdapterRelease);
  WGK_FAKE_RELEASE(wgpuDeviceRelease);
  WGK_FAKE_RELEASE(wgpuQueueRelease);
  WGK_FAKE_RELEASE(wgpuBufferRelease);
  WGK_FAKE_RELEASE(wgpuShaderModuleRelease);
  WGK_FAKE_RELEASE(wgpuBindGroupLayoutRelease);
  WGK_FAKE_RELEASE(wgpuPipelineLayoutRelease);
  WGK_FAKE_RELEASE(wgpuComputePipelineRelease);
  WGK_FAKE_RELEASE(wgpuBindGroupRelease);
  WGK_FAKE_RELEASE(wgpuCommandEncoderRelease);
  WGK_FAKE_RELEASE(wgpuComputePassEncoderRelease);
  WGK_FAKE_RELEASE(wgpuCommandBufferRelease);
  fake_requests_and_callbacks();
}

class Faults : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    device.reset();
    fakes = &state_;
    install_fakes();
  }
  void TearDown() override { fakes = nullptr; }

  /// Opens a device, runs two passes with a submission between them, and closes it.
  static Status whole_life() {
    DeviceOptions options;
    options.kind = DeviceKind::kSoftware;
    auto opened = GpuDevice::open(options);
    if (!opened.ok()) return std::move(opened).error();
    Plan plan = double_plan(1, {1, 1, 1});
    plan.passes.push_back(plan.passes[0]);
    plan.passes[0].submit_after = true;
    auto result = run(**opened, plan, {bytes_of<float>({1})});
    if (!result.ok()) return std::move(result).error();
    EXPECT_EQ(values_of<float>((*result)[0]), std::vector<float>{2});
    return {};
  }

  /// Opens a device, adopts it a second time, prepares and binds a timed call with scratch to clear, submits it, reads
  /// the result and the time, and closes all.
  static Status prepared_life() {
    DeviceOptions options;
    options.kind = DeviceKind::kSoftware;
    WGK_TRY(const std::shared_ptr<GpuDevice> opened, GpuDevice::open(options));
    WGK_TRY(const std::shared_ptr<GpuDevice> device,
            GpuDevice::adopt({opened->context().instance.get(), opened->context().device.get(), nullptr, true}));
    Plan plan = double_plan(2, {1, 1, 1});
    plan.scratch.push_back({"sum", DType::kFloat32, {2}, 8, true});
    plan.passes.push_back(
        pass("use", kDouble, {read(0, 8), bind("s", BindingAccess::kStorage, PlanBinding::Source::kScratch, 0, 8)}));
    plan.passes[1].submit_after = true;
    std::swap(plan.passes[0], plan.passes[1]);
    WGK_TRY(const std::shared_ptr<const PreparedPlan> prepared, PreparedPlan::create(device, plan));
    constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;
    WGK_TRY(const Buffer x, create_buffer(device->context(), "x", 8, kUsage));
    WGK_TRY(const Buffer y, create_buffer(device->context(), "y", 8, kUsage));
    WGK_CHECK(write_buffer(device->context(), x.get(), 0, bytes_of<float>({1, 3}), "x"));
    const BufferRange ranges[] = {{x.get(), 0, 0}, {y.get(), 0, 0}};
    WGK_TRY(const BoundPlan bound, BoundPlan::create(prepared, ranges));
    WGK_CHECK(bound.submit(nullptr));
    WGK_TRY(PendingRead pending, PendingRead::start(device, y.get(), 0, 8));
    WGK_TRY(const std::vector<std::byte> bytes, pending.get(std::chrono::seconds(60)));
    EXPECT_EQ(values_of<float>(bytes), (std::vector<float>{2, 6}));
    return {};
  }

  /// Makes each call of a life fail in turn.
  void fail_each_call(const std::function<Status()>& life) {
    int failures = 0;
    for (int n = 1; n < 1000; ++n) {
      state_.calls = 0;
      state_.fail_at = n;
      const Status status = life();
      EXPECT_TRUE(state_.references.empty()) << "leak when call " << n << " fails";
      EXPECT_FALSE(state_.bad_release) << n;
      if (state_.calls < n) {
        EXPECT_TRUE(status.ok());
        EXPECT_GT(failures, 30);
        return;
      }
      ASSERT_FALSE(status.ok()) << "call " << n << " failed and nobody noticed";
      EXPECT_EQ(status.error().code, ErrorCode::kDevice) << n;
      EXPECT_FALSE(status.error().message.empty()) << n;
      ++failures;
    }
    FAIL() << "the calls never ran out";
  }

  Fakes state_;
};

TEST_F(Faults, EveryReferenceIsReleasedOnce) {
  const ProcsOverride installed(state_.table);
  const Status status = whole_life();
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_TRUE(state_.references.empty()) << state_.references.size() << " objects were not released";
  EXPECT_FALSE(state_.bad_release);
  EXPECT_GT(state_.calls, 30);
}

TEST_F(Faults, TheNthCallFails) {
  const ProcsOverride installed(state_.table);
  fail_each_call(whole_life);
}

TEST_F(Faults, TheNthCallOfAPreparedLifeFails) {
  const ProcsOverride installed(state_.table);
  fail_each_call(prepared_life);
}

/// The implementation says that the device is lost, in front of each call in turn; what it does afterwards is its own
/// business. The life that it happens in fails or was done anyway, and the next one is not touched.
TEST_F(Faults, TheDeviceIsLostAtTheNthCall) {
  const ProcsOverride installed(state_.table);
  int failures = 0;
  for (int n = 1; n < 1000; ++n) {
    state_.calls = 0;
    state_.lose_at = n;
    state_.device = nullptr;
    const Status status = whole_life();
    state_.lose_at = 0;
    EXPECT_TRUE(state_.references.empty()) << "leak when the device is lost at call " << n;
    EXPECT_FALSE(state_.bad_release) << n;
    if (!status.ok()) {
      ++failures;
      EXPECT_EQ(status.error().code, ErrorCode::kDevice) << n;
    }
    if (state_.calls < n) break;
  }
  EXPECT_GT(failures, 10);
  const Status next = whole_life();
  EXPECT_TRUE(next.ok()) << next.error().message;
}

/// Each call of a run fails in turn on one device: the run fails, and the next one on the same device works.
TEST_F(Faults, AFailedRunLeavesTheDeviceUsable) {
  const ProcsOverride installed(state_.table);
  DeviceOptions options;
  options.kind = DeviceKind::kSoftware;
  {
    const auto opened = GpuDevice::open(options);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    int failures = 0;
    for (int n = 1; n < 1000; ++n) {
      // Another text every time, so that the shader is compiled again and compiling can fail too.
      Plan plan = double_plan(1, {1, 1, 1});
      plan.passes[0].wgsl += "// " + std::to_string(n);
      state_.calls = 0;
      state_.fail_at = n;
      const auto failed = run(**opened, plan, {bytes_of<float>({1})});
      const bool happened = state_.calls >= n;
      state_.fail_at = 0;
      if (!happened) break;
      ++failures;
      EXPECT_FALSE(failed.ok()) << n;
      const auto next = run(**opened, plan, {bytes_of<float>({3})});
      ASSERT_TRUE(next.ok()) << "after call " << n << " failed: " << next.error().message;
      EXPECT_EQ(values_of<float>((*next)[0]), std::vector<float>{6});
    }
    EXPECT_GT(failures, 20);
  }
  EXPECT_TRUE(state_.references.empty());
}

/// A shader that does not compile is quoted in the message; its words must not pass for a lost device or lack of
/// memory.
TEST_F(Faults, AShaderCannotSayThatTheDeviceIsLost) {
  DeviceOptions options;
  options.kind = DeviceKind::kSoftware;
  const auto opened = GpuDevice::open(options);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  for (const char* text : {"Parent device is lost", "Not enough memory left.", "out of memory"}) {
    Plan plan = double_plan(1, {1, 1, 1});
    plan.passes[0].wgsl = std::string("fn main() { let a = ; } // ") + text;
    const auto failed = run(**opened, plan, {bytes_of<float>({1})});
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.error().message.find("does not compile"), std::string::npos) << failed.error().message;
    EXPECT_TRUE(run(**opened, double_plan(1, {1, 1, 1}), {bytes_of<float>({1})}).ok()) << text;
  }
}

}  // namespace
}  // namespace wgk::gpu::testing
