/* The C API on a device of the program's own: prepare once, bind buffers, record, read back. */
#include <stdio.h>

#include <wgk/wgk.h>

#include "own_device.h"

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, wgk_last_error());
  return 1;
}

static int run(const wgk_device* device, const wgk_kernel* kernel, const OwnDevice* own) {
  const int64_t x_shape[] = {1, 1, 2, 4};
  const int64_t cache_shape[] = {3, 2};
  const int64_t position_shape[] = {1, 2};
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float cos[] = {1, 1, 0, 1, -1, 0};
  const float sin[] = {0, 0, 1, 0, 0, 1};
  const int64_t positions[] = {1, 2};
  const wgk_host_tensor inputs[] = {{"x", WGK_FLOAT32, x_shape, 4, x, sizeof(x)},
                                    {"cos", WGK_FLOAT32, cache_shape, 2, cos, sizeof(cos)},
                                    {"sin", WGK_FLOAT32, cache_shape, 2, sin, sizeof(sin)},
                                    {"positionIds", WGK_INT64, position_shape, 2, positions, sizeof(positions)}};
  const wgk_tensor_spec specs[] = {{"x", WGK_FLOAT32, x_shape, 4, 0},
                                   {"cos", WGK_FLOAT32, cache_shape, 2, 0},
                                   {"sin", WGK_FLOAT32, cache_shape, 2, 0},
                                   {"positionIds", WGK_INT64, position_shape, 2, 0}};
  const wgk_attribute attributes[] = {{"interleaved", "1"}};
  wgk_prepared* prepared = NULL;
  wgk_bound* bound = NULL;
  wgk_tensor* tensors[5] = {NULL};
  wgk_binding bindings[5] = {{0}};
  float y[8];
  int result = 1;
  (void)device;

  if (wgk_kernel_prepare(kernel, specs, 4, attributes, 1, &prepared) != WGK_STATUS_OK) return fail("prepare");
  for (int i = 0; i < 4; ++i) {
    if (wgk_prepared_upload(prepared, &inputs[i], &tensors[i]) != WGK_STATUS_OK) goto done;
    bindings[i].name = inputs[i].name;
    bindings[i].tensor = tensors[i];
  }
  if (wgk_prepared_create_tensor(prepared, "y", &tensors[4]) != WGK_STATUS_OK) goto done;
  bindings[4].name = "y";
  bindings[4].tensor = tensors[4];
  if (wgk_prepared_bind(prepared, bindings, 5, &bound) != WGK_STATUS_OK) goto done;

  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(own->device, NULL);
  wgk_bound_encode(bound, encoder);
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
  wgpuQueueSubmit(own->queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);

  if (wgk_tensor_download(tensors[4], y, sizeof(y), 60000) != WGK_STATUS_OK) goto done;
  for (int i = 0; i < 8; ++i) printf("%g ", (double)y[i]);
  printf("\n");
  result = 0;

done:
  if (result != 0) fail("call");
  wgk_bound_release(bound);
  for (int i = 0; i < 5; ++i) wgk_tensor_release(tensors[i]);
  wgk_prepared_release(prepared);
  return result;
}

int main(void) {
  OwnDevice own;
  wgk_device* device = NULL;
  wgk_package* package = NULL;
  wgk_kernel* kernel = NULL;
  int result = 1;
  if (!own_device_open(&own)) {
    fprintf(stderr, "no WebGPU adapter\n");
  } else if (wgk_device_adopt(own.instance, own.device, own.adapter, 0, &device) != WGK_STATUS_OK ||
             wgk_package_load("ai.onnx.RotaryEmbedding", &package) != WGK_STATUS_OK ||
             wgk_kernel_create(device, package, &kernel) != WGK_STATUS_OK) {
    fail("setup");
  } else {
    result = run(device, kernel, &own);
  }
  wgk_kernel_release(kernel);
  wgk_package_release(package);
  wgk_device_release(device);
  own_device_close(&own);
  return result;
}
