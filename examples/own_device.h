/* A WebGPU device made by plain webgpu.h calls, for the examples that bring their own. C11 and C++. */
#ifndef WGK_EXAMPLES_OWN_DEVICE_H
#define WGK_EXAMPLES_OWN_DEVICE_H

#include <stdio.h>
#include <string.h>

#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>

typedef struct OwnDevice {
  WGPUInstance instance;
  WGPUAdapter adapter;
  WGPUDevice device;
  WGPUQueue queue;
} OwnDevice;

static inline void own_device_on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView message,
                                         void* userdata, void* unused) {
  (void)status;
  (void)message;
  (void)unused;
  ((OwnDevice*)userdata)->adapter = adapter;
}

static inline void own_device_on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                                        void* userdata, void* unused) {
  (void)status;
  (void)message;
  (void)unused;
  ((OwnDevice*)userdata)->device = device;
}

static inline void own_device_on_lost(WGPUDevice const* device, WGPUDeviceLostReason reason, WGPUStringView message,
                                      void* userdata, void* unused) {
  (void)device;
  (void)userdata;
  (void)unused;
  if (reason == WGPUDeviceLostReason_Destroyed) return;
  fprintf(stderr, "the device is lost: %.*s\n", (int)message.length, message.data);
}

static inline void own_device_on_error(WGPUDevice const* device, WGPUErrorType type, WGPUStringView message,
                                       void* userdata, void* unused) {
  (void)device;
  (void)type;
  (void)userdata;
  (void)unused;
  fprintf(stderr, "WebGPU error: %.*s\n", (int)message.length, message.data);
}

/* 1 when there is a device. With wgpu-native requests are answered before they return. */
static inline int own_device_open(OwnDevice* own) {
  memset(own, 0, sizeof(*own));
  WGPUInstanceExtras extras;
  memset(&extras, 0, sizeof(extras));
  extras.chain.sType = (WGPUSType)WGPUSType_InstanceExtras;
  extras.backends = WGPUInstanceBackend_Primary;
  WGPUInstanceDescriptor instance = WGPU_INSTANCE_DESCRIPTOR_INIT;
  instance.nextInChain = &extras.chain;
  own->instance = wgpuCreateInstance(&instance);
  if (own->instance == NULL) return 0;

  WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
  options.powerPreference = WGPUPowerPreference_HighPerformance;
  WGPURequestAdapterCallbackInfo on_adapter = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  on_adapter.mode = WGPUCallbackMode_AllowProcessEvents;
  on_adapter.callback = own_device_on_adapter;
  on_adapter.userdata1 = own;
  wgpuInstanceRequestAdapter(own->instance, &options, on_adapter);
  wgpuInstanceProcessEvents(own->instance);
  if (own->adapter == NULL) return 0;

  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.callback = own_device_on_lost;
  descriptor.uncapturedErrorCallbackInfo.callback = own_device_on_error;
  WGPURequestDeviceCallbackInfo on_device = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  on_device.mode = WGPUCallbackMode_AllowProcessEvents;
  on_device.callback = own_device_on_device;
  on_device.userdata1 = own;
  wgpuAdapterRequestDevice(own->adapter, &descriptor, on_device);
  wgpuInstanceProcessEvents(own->instance);
  if (own->device == NULL) return 0;
  own->queue = wgpuDeviceGetQueue(own->device);
  return 1;
}

static inline void own_device_close(OwnDevice* own) {
  if (own->queue != NULL) wgpuQueueRelease(own->queue);
  if (own->device != NULL) wgpuDeviceRelease(own->device);
  if (own->adapter != NULL) wgpuAdapterRelease(own->adapter);
  if (own->instance != NULL) wgpuInstanceRelease(own->instance);
}

#endif /* WGK_EXAMPLES_OWN_DEVICE_H */
