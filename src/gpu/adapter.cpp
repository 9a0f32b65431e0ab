// Finding an adapter and opening a device on it.
#include "gpu/adapter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"

namespace wgk::gpu {
namespace {

// The OpenGL backend is left out: its limits are lower, and it opens a display connection.
constexpr WGPUInstanceBackend kBackends =
    WGPUInstanceBackend_Vulkan | WGPUInstanceBackend_Metal | WGPUInstanceBackend_DX12;

// Opening answers at once or never.
constexpr Timeout kOpenTimeout = std::chrono::seconds(60);

struct AdapterReply {
  WGPURequestAdapterStatus status = WGPURequestAdapterStatus_Error;
  WGPUAdapter adapter = nullptr;
};
struct DeviceReply {
  WGPURequestDeviceStatus status = WGPURequestDeviceStatus_Error;
  WGPUDevice device = nullptr;
};

void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView message, void* userdata,
                void*) noexcept {
  deliver(userdata, AdapterReply{status, adapter}, message);
}

void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message, void* userdata,
               void*) noexcept {
  deliver(userdata, DeviceReply{status, device}, message);
}

// Both callbacks must be there: without them wgpu-native ends the process.
void on_lost(WGPUDevice const*, WGPUDeviceLostReason, WGPUStringView message, void* userdata, void*) noexcept {
  try {
    static_cast<DeviceEvents*>(userdata)->report_lost(tidy_message(from_wgpu(message)));
  } catch (...) {
    static_cast<DeviceEvents*>(userdata)->report_lost({});
  }
}

void on_uncaptured_error(WGPUDevice const*, WGPUErrorType, WGPUStringView message, void* userdata, void*) noexcept {
  try {
    static_cast<DeviceEvents*>(userdata)->report_error(tidy_message(from_wgpu(message)));
  } catch (...) {
  }
}

int rank(WGPUAdapterType type) {
  switch (type) {
    case WGPUAdapterType_DiscreteGPU:
      return 0;
    case WGPUAdapterType_IntegratedGPU:
      return 1;
    case WGPUAdapterType_CPU:
      return 3;
    default:
      return 2;
  }
}

char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(),
                                     [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

// Error text for a search without result: what was sought, what is there, what to do.
Error none_fits(const DeviceOptions& options, const std::vector<OpenAdapter>& found) {
  std::string sought = options.kind == DeviceKind::kGpu        ? "no GPU adapter"
                       : options.kind == DeviceKind::kSoftware ? "no software adapter"
                                                               : "no adapter";
  if (!options.adapter_name.empty()) sought += fmt::format(" with '{}' in its name", options.adapter_name);
  if (found.empty()) {
    return device_error(sought +
                        "; the machine has no Vulkan, Metal or D3D12 adapter at all (on Linux install a Vulkan driver, "
                        "for example mesa-vulkan-drivers)");
  }
  std::string list;
  for (const OpenAdapter& adapter : found) {
    list += fmt::format("{}'{}' ({})", list.empty() ? "" : ", ", adapter.facts.profile.adapter.device,
                        adapter.facts.type == WGPUAdapterType_CPU ? "software" : "GPU");
  }
  return device_error(fmt::format("{}; found {}", sought, list));
}

// The standard way to ask, and cheaper than listing every adapter. An empty handle: there is none.
Result<Adapter> request_best(const Instance& instance, DeviceKind kind) {
  WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
  options.powerPreference = WGPUPowerPreference_HighPerformance;
  options.forceFallbackAdapter = kind == DeviceKind::kSoftware ? WGPU_TRUE : WGPU_FALSE;
  const auto reply = std::make_shared<Reply<AdapterReply>>();
  WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = on_adapter;
  info.userdata1 = reply_userdata(reply);
  procs().wgpuInstanceRequestAdapter(instance.get(), &options, info);
  if (!wait_for(reply->arrived, instance.get(), nullptr, kOpenTimeout)) {
    return device_error("the WebGPU implementation does not answer a request for an adapter");
  }
  if (reply->payload.status == WGPURequestAdapterStatus_Error) {
    return device_error(fmt::format("cannot get a WebGPU adapter: {}", tidy_message(reply->message)));
  }
  return Adapter(reply->payload.adapter);
}

Result<OpenAdapter> choose_listed(const Instance& instance, const DeviceOptions& options) {
  WGK_TRY(std::vector<OpenAdapter> found, all_adapters(instance));
  for (OpenAdapter& candidate : found) {
    if (adapter_fits(candidate.facts, options.kind, options.adapter_name)) return std::move(candidate);
  }
  return none_fits(options, found);
}

Result<OpenAdapter> choose_adapter(const Instance& instance, const DeviceOptions& options) {
  if (options.adapter_name.empty()) {
    WGK_TRY(Adapter best, request_best(instance, options.kind));
    if (best) {
      WGK_TRY(AdapterFacts facts, read_adapter(best.get()));
      if (adapter_fits(facts, options.kind, "")) return OpenAdapter{std::move(best), std::move(facts)};
    }
  }
  return choose_listed(instance, options);
}

Status request_device(DeviceContext& context, const AdapterFacts& facts) {
  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  descriptor.label = to_wgpu("wgk");
  descriptor.requiredFeatureCount = facts.request_features.size();
  descriptor.requiredFeatures = facts.request_features.data();
  descriptor.requiredLimits = &facts.request_limits;
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.callback = on_lost;
  descriptor.deviceLostCallbackInfo.userdata1 = &context.events;
  descriptor.uncapturedErrorCallbackInfo.callback = on_uncaptured_error;
  descriptor.uncapturedErrorCallbackInfo.userdata1 = &context.events;

  const auto reply = std::make_shared<Reply<DeviceReply>>();
  WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = on_device;
  info.userdata1 = reply_userdata(reply);
  procs().wgpuAdapterRequestDevice(context.adapter.get(), &descriptor, info);
  const bool answered = wait_for(reply->arrived, context.instance.get(), nullptr, kOpenTimeout);
  context.device = DeviceHandle(answered ? reply->payload.device : nullptr);
  if (!answered || reply->payload.status != WGPURequestDeviceStatus_Success || !context.device) {
    return device_error(fmt::format("cannot open a device on adapter '{}': {}", facts.profile.adapter.device,
                                    answered ? tidy_message(reply->message) : "no answer"));
  }
  return {};
}

}  // namespace

Result<Instance> create_instance() {
  WGPUInstanceExtras extras{};
  extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
  extras.backends = kBackends;
  WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
  descriptor.nextInChain = &extras.chain;
  Instance instance(procs().wgpuCreateInstance(&descriptor));
  if (!instance) return device_error("the WebGPU implementation cannot start");
  return instance;
}

Result<std::vector<OpenAdapter>> all_adapters(const Instance& instance) {
  // The function writes as many handles as it finds, so room is left for an adapter that appears between the calls.
  constexpr std::size_t kSpare = 16;
  const std::size_t expected = procs().wgpuInstanceEnumerateAdapters(instance.get(), nullptr, nullptr);
  std::vector<WGPUAdapter> raw(expected + kSpare, nullptr);
  raw.resize(std::min(raw.size(), procs().wgpuInstanceEnumerateAdapters(instance.get(), nullptr, raw.data())));

  std::vector<Adapter> handles;
  for (WGPUAdapter adapter : raw) handles.emplace_back(adapter);
  std::vector<OpenAdapter> adapters;
  for (Adapter& handle : handles) {
    WGK_TRY(AdapterFacts facts, read_adapter(handle.get()));
    adapters.push_back({std::move(handle), std::move(facts)});
  }
  std::stable_sort(adapters.begin(), adapters.end(),
                   [](const OpenAdapter& a, const OpenAdapter& b) { return rank(a.facts.type) < rank(b.facts.type); });
  return adapters;
}

bool adapter_fits(const AdapterFacts& facts, DeviceKind kind, std::string_view name_part) {
  const bool software = facts.type == WGPUAdapterType_CPU;
  if (kind == DeviceKind::kSoftware && !software) return false;
  if (kind == DeviceKind::kGpu && software) return false;
  return contains_ignoring_case(facts.profile.adapter.device, name_part);
}

Result<std::unique_ptr<DeviceContext>> open_device(const DeviceOptions& options) {
  if (options.kind == DeviceKind::kCpu) {
    return Error{ErrorCode::kUsage, "the CPU path has no WebGPU device to open"};
  }
  auto context = std::make_unique<DeviceContext>();
  WGK_TRY(context->instance, create_instance());
  WGK_TRY(OpenAdapter chosen, choose_adapter(context->instance, options));
  context->adapter = std::move(chosen.handle);
  WGK_CHECK(request_device(*context, chosen.facts));
  context->queue = Queue(procs().wgpuDeviceGetQueue(context->device.get()));
  if (!context->queue) return device_error("the WebGPU device has no queue");
  context->profile = std::move(chosen.facts.profile);
  context->software = chosen.facts.type == WGPUAdapterType_CPU;
  return context;
}

}  // namespace wgk::gpu
