/* The smallest program that opens an adapter and dispatches one shader: the yardstick for the start-up time of wgk.
 * usage: minimal_dispatch software|gpu     exit code 0: the dispatch ran */
#include <stdio.h>
#include <string.h>

#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>

static const char kShader[] =
    "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = id.x; }\n";

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView message, void* out,
                       void* unused) {
  (void)status, (void)message, (void)unused;
  *(WGPUAdapter*)out = adapter;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message, void* out,
                      void* unused) {
  (void)status, (void)message, (void)unused;
  *(WGPUDevice*)out = device;
}

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void* out, void* unused) {
  (void)message, (void)unused;
  *(int*)out = status == WGPUQueueWorkDoneStatus_Success ? 1 : -1;
}

static WGPUInstance create_instance(void) {
  WGPUInstanceExtras extras;
  WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
  memset(&extras, 0, sizeof extras);
  extras.chain.sType = (WGPUSType)WGPUSType_InstanceExtras;
  extras.backends = WGPUInstanceBackend_Vulkan | WGPUInstanceBackend_Metal | WGPUInstanceBackend_DX12;
  descriptor.nextInChain = &extras.chain;
  return wgpuCreateInstance(&descriptor);
}

static WGPUAdapter get_adapter(WGPUInstance instance, int software) {
  WGPUAdapter adapter = NULL;
  WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
  WGPURequestAdapterCallbackInfo callback = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  options.powerPreference = WGPUPowerPreference_HighPerformance;
  options.forceFallbackAdapter = (WGPUBool)software;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.callback = on_adapter;
  callback.userdata1 = &adapter;
  wgpuInstanceRequestAdapter(instance, &options, callback);
  wgpuInstanceProcessEvents(instance);
  return adapter;
}

static WGPUDevice get_device(WGPUInstance instance, WGPUAdapter adapter) {
  WGPUDevice device = NULL;
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.callback = on_device;
  callback.userdata1 = &device;
  wgpuAdapterRequestDevice(adapter, NULL, callback);
  wgpuInstanceProcessEvents(instance);
  return device;
}

static int dispatch(WGPUInstance instance, WGPUDevice device) {
  int done = 0;
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  WGPUComputePipelineDescriptor pipeline_descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  WGPUBufferDescriptor buffer_descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
  WGPUBindGroupDescriptor group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  WGPUQueueWorkDoneCallbackInfo callback = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;

  source.code.data = kShader;
  source.code.length = sizeof kShader - 1;
  module.nextInChain = &source.chain;
  pipeline_descriptor.compute.module = wgpuDeviceCreateShaderModule(device, &module);
  pipeline_descriptor.compute.entryPoint.data = "main";
  WGPUComputePipeline pipeline = wgpuDeviceCreateComputePipeline(device, &pipeline_descriptor);

  buffer_descriptor.usage = WGPUBufferUsage_Storage;
  buffer_descriptor.size = 256;
  entry.buffer = wgpuDeviceCreateBuffer(device, &buffer_descriptor);
  entry.size = 256;
  group.layout = wgpuComputePipelineGetBindGroupLayout(pipeline, 0);
  group.entryCount = 1;
  group.entries = &entry;

  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, NULL);
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
  wgpuComputePassEncoderSetPipeline(pass, pipeline);
  wgpuComputePassEncoderSetBindGroup(pass, 0, wgpuDeviceCreateBindGroup(device, &group), 0, NULL);
  wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
  wgpuComputePassEncoderEnd(pass);
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
  WGPUQueue queue = wgpuDeviceGetQueue(device);
  wgpuQueueSubmit(queue, 1, &commands);

  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.callback = on_done;
  callback.userdata1 = &done;
  wgpuQueueOnSubmittedWorkDone(queue, callback);
  while (done == 0) {
    wgpuDevicePoll(device, 1, NULL);
    wgpuInstanceProcessEvents(instance);
  }
  return done == 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || (strcmp(argv[1], "software") != 0 && strcmp(argv[1], "gpu") != 0)) {
    fprintf(stderr, "usage: minimal_dispatch software|gpu\n");
    return 2;
  }
  WGPUInstance instance = create_instance();
  WGPUAdapter adapter = instance ? get_adapter(instance, strcmp(argv[1], "software") == 0) : NULL;
  WGPUDevice device = adapter ? get_device(instance, adapter) : NULL;
  if (!device) {
    fprintf(stderr, "minimal_dispatch: no %s adapter\n", argv[1]);
    return 1;
  }
  return dispatch(instance, device) ? 0 : 1;
}
