/* wgk.h from C11: every group of functions, the errors of wrong arguments, and webgpu.h beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webgpu/webgpu.h>

#include <wgk/wgk.h>

/* The exit code that ctest counts as "skipped". */
enum { kSkipped = 77 };

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("line %d: %s (last error: %s)\n", line, what, wgk_last_error());
}
#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)

static const int64_t kShapeX[] = {1, 1, 2, 4};
static const int64_t kShapeCache[] = {3, 2};
static const int64_t kShapePositions[] = {1, 2};
static const float kX[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const float kCos[] = {1, 1, 0, 1, -1, 0};
static const float kSin[] = {0, 0, 1, 0, 0, 1};
static const int64_t kPositions[] = {1, 2};
/* Rows 1 and 2 of the caches, pairs of neighbours. */
static const float kY[] = {-2, 1, 3, 4, -5, -6, -8, 7};
static const wgk_attribute kInterleaved[] = {{"interleaved", "1"}};

static void inputs_of(wgk_host_tensor inputs[4]) {
  const wgk_host_tensor all[4] = {
      {.name = "x", .dtype = WGK_FLOAT32, .shape = kShapeX, .rank = 4, .data = kX, .size = sizeof(kX)},
      {.name = "cos", .dtype = WGK_FLOAT32, .shape = kShapeCache, .rank = 2, .data = kCos, .size = sizeof(kCos)},
      {.name = "sin", .dtype = WGK_FLOAT32, .shape = kShapeCache, .rank = 2, .data = kSin, .size = sizeof(kSin)},
      {.name = "position_ids",
       .dtype = WGK_INT64,
       .shape = kShapePositions,
       .rank = 2,
       .data = kPositions,
       .size = sizeof(kPositions)}};
  memcpy(inputs, all, sizeof(all));
}

static void test_errors(void) {
  wgk_device* device = NULL;
  wgk_package* package = NULL;
  EXPECT(wgk_device_open(WGK_DEVICE_CPU, NULL, NULL) == WGK_STATUS_USAGE);
  EXPECT(strcmp(wgk_last_error(), "the out parameter is null") == 0);
  EXPECT(wgk_device_open((wgk_device_kind)17, NULL, &device) == WGK_STATUS_USAGE);
  EXPECT(wgk_device_adopt(NULL, NULL, NULL, 0, &device) == WGK_STATUS_USAGE);
  EXPECT(wgk_package_load(NULL, &package) == WGK_STATUS_USAGE);
  EXPECT(wgk_package_load("no.such.Operator", &package) == WGK_STATUS_PACKAGE);
  EXPECT(strstr(wgk_last_error(), "no.such.Operator") != NULL);
  EXPECT(device == NULL && package == NULL);
  EXPECT(wgk_kernel_run(NULL, NULL, 0, NULL, 0, NULL, 0) == WGK_STATUS_USAGE);
  wgk_device_release(NULL);
  wgk_package_release(NULL);
  wgk_kernel_release(NULL);
  wgk_prepared_release(NULL);
  wgk_bound_release(NULL);
  wgk_tensor_release(NULL);
  wgk_profile_release(NULL);
}

static void test_host_run(wgk_kernel* kernel) {
  float y[8] = {0};
  wgk_host_tensor inputs[4];
  wgk_host_output output = {"y", y, sizeof(y)};
  inputs_of(inputs);
  EXPECT(wgk_kernel_run(kernel, inputs, 4, kInterleaved, 1, &output, 1) == WGK_STATUS_OK);
  EXPECT(memcmp(y, kY, sizeof(kY)) == 0);

  output.size = 4;
  EXPECT(wgk_kernel_run(kernel, inputs, 4, kInterleaved, 1, &output, 1) == WGK_STATUS_USAGE);
  output.size = sizeof(y);
  output.name = "z";
  EXPECT(wgk_kernel_run(kernel, inputs, 4, kInterleaved, 1, &output, 1) != WGK_STATUS_OK);
  inputs[0].size = 4;
  EXPECT(wgk_kernel_run(kernel, inputs, 4, kInterleaved, 1, NULL, 0) == WGK_STATUS_REQUEST);
  EXPECT(strstr(wgk_last_error(), "ai.onnx.RotaryEmbedding: x:") != NULL);
  inputs_of(inputs);
  inputs[1].dtype = (wgk_dtype)99;
  EXPECT(wgk_kernel_run(kernel, inputs, 4, kInterleaved, 1, NULL, 0) == WGK_STATUS_USAGE);
  const wgk_attribute bad = {"interleaved", "{"};
  inputs_of(inputs);
  EXPECT(wgk_kernel_run(kernel, inputs, 4, &bad, 1, NULL, 0) == WGK_STATUS_USAGE);
}

static void encode_and_submit(WGPUDevice device, const wgk_bound* bound) {
  WGPUQueue queue = wgpuDeviceGetQueue(device);
  WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, NULL);
  wgk_bound_encode(bound, encoder);
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
  wgk_bound_encode_pass(bound, pass);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
  wgpuQueueSubmit(queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
  wgpuQueueRelease(queue);
}

static void test_engine(wgk_device* device, wgk_kernel* kernel) {
  wgk_host_tensor inputs[4];
  wgk_tensor_spec specs[4];
  wgk_binding bindings[5];
  wgk_tensor* tensors[5] = {NULL};
  wgk_prepared* prepared = NULL;
  wgk_bound* bound = NULL;
  float y[8] = {0};
  inputs_of(inputs);
  memset(specs, 0, sizeof(specs));
  memset(bindings, 0, sizeof(bindings));
  for (int i = 0; i < 4; ++i) {
    specs[i].name = inputs[i].name;
    specs[i].dtype = inputs[i].dtype;
    specs[i].shape = inputs[i].shape;
    specs[i].rank = inputs[i].rank;
  }
  EXPECT(wgk_kernel_prepare(kernel, specs, 4, kInterleaved, 1, &prepared) == WGK_STATUS_OK);
  if (prepared == NULL) return;
  EXPECT(strncmp(wgk_prepared_variant(prepared), "rank4_cache2", strlen("rank4_cache2")) == 0);
  for (int i = 0; i < 4; ++i) {
    EXPECT(wgk_prepared_upload(prepared, &inputs[i], &tensors[i]) == WGK_STATUS_OK);
    bindings[i].name = inputs[i].name;
    bindings[i].tensor = tensors[i];
  }
  EXPECT(wgk_prepared_create_tensor(prepared, "y", &tensors[4]) == WGK_STATUS_OK);
  bindings[4].name = "y";
  bindings[4].tensor = tensors[0];
  EXPECT(wgk_prepared_bind(prepared, bindings, 5, &bound) == WGK_STATUS_DEVICE);
  EXPECT(strstr(wgk_last_error(), "aliasing") != NULL);
  bindings[4].tensor = tensors[4];
  EXPECT(wgk_prepared_bind(prepared, bindings, 5, &bound) == WGK_STATUS_OK);
  if (bound == NULL) return;

  EXPECT(wgk_bound_submit(bound) == WGK_STATUS_OK);
  EXPECT(wgk_tensor_download(tensors[4], y, sizeof(y), 60000) == WGK_STATUS_OK);
  EXPECT(memcmp(y, kY, sizeof(kY)) == 0);
  EXPECT(wgk_tensor_download(tensors[4], y, 4, 60000) == WGK_STATUS_USAGE);

  wgk_tensor* zeros = NULL;
  EXPECT(wgk_tensor_create(device, WGK_FLOAT32, kShapeX, 4, &zeros) == WGK_STATUS_OK);
  EXPECT(wgk_tensor_download(zeros, y, sizeof(y), 0) == WGK_STATUS_OK);
  EXPECT(y[0] == 0 && y[7] == 0);
  EXPECT(wgk_tensor_write(zeros, &inputs[0]) == WGK_STATUS_OK);
  wgk_tensor_release(zeros);

  /* The same output through its buffer. */
  bindings[4].tensor = NULL;
  bindings[4].buffer = wgk_tensor_buffer(tensors[4]);
  bindings[4].dtype = WGK_FLOAT32;
  bindings[4].shape = kShapeX;
  bindings[4].rank = 4;
  EXPECT(wgk_kernel_run_gpu(kernel, bindings, 5, kInterleaved, 1) == WGK_STATUS_OK);
  EXPECT(wgk_kernel_run_gpu(kernel, bindings, 4, kInterleaved, 1) == WGK_STATUS_USAGE);

  /* Handles may go in any order. */
  wgk_prepared_release(prepared);
  encode_and_submit(wgk_device_webgpu(device), bound);
  memset(y, 0, sizeof(y));
  EXPECT(wgk_tensor_download(tensors[4], y, sizeof(y), 60000) == WGK_STATUS_OK);
  EXPECT(memcmp(y, kY, sizeof(kY)) == 0);

  wgk_profile* profile = NULL;
  if (wgk_profile_create(device, 4, &profile) == WGK_STATUS_OK) {
    size_t count = 1;
    double times[4];
    EXPECT(wgk_profile_resolve(profile, times, 4, &count) == WGK_STATUS_OK);
    EXPECT(count == 0);
    wgk_profile_release(profile);
  }
  wgk_bound_release(bound);
  for (int i = 0; i < 5; ++i) wgk_tensor_release(tensors[i]);
}

int main(int argc, char** argv) {
  wgk_device* device = NULL;
  wgk_package* package = NULL;
  wgk_kernel* kernel = NULL;
  if (argc != 2) return 2;
  EXPECT(strcmp(wgk_version(), "0.1.0") == 0);
  test_errors();

  EXPECT(wgk_package_load(argv[1], &package) == WGK_STATUS_OK);
  EXPECT(strcmp(wgk_package_op(package), "ai.onnx.RotaryEmbedding") == 0);
  EXPECT(wgk_device_open_cpu(2, NULL) == WGK_STATUS_USAGE);
  EXPECT(wgk_device_open_cpu(2, &device) == WGK_STATUS_OK);
  EXPECT(wgk_device_get_kind(device) == WGK_DEVICE_CPU);
  wgk_device_release(device);
  EXPECT(wgk_device_open(WGK_DEVICE_CPU, NULL, &device) == WGK_STATUS_OK);
  EXPECT(wgk_kernel_create(device, package, &kernel) == WGK_STATUS_OK);
  EXPECT(wgk_device_get_kind(device) == WGK_DEVICE_CPU && wgk_device_webgpu(device) == NULL);
  test_host_run(kernel);
  wgk_kernel_release(kernel);
  wgk_device_release(device);
  device = NULL;
  kernel = NULL;

  if (wgk_device_open(WGK_DEVICE_SOFTWARE, NULL, &device) != WGK_STATUS_OK) {
    printf("no software adapter: %s\n", wgk_last_error());
    wgk_package_release(package);
    return failures != 0 || getenv("WGK_REQUIRE_ADAPTER") != NULL ? 1 : kSkipped;
  }
  EXPECT(wgk_device_get_kind(device) == WGK_DEVICE_SOFTWARE);
  EXPECT(strlen(wgk_device_name(device)) > 0 && wgk_device_lost(device) == 0);
  EXPECT(wgk_kernel_create(device, package, &kernel) == WGK_STATUS_OK);
  test_host_run(kernel);
  test_engine(device, kernel);
  wgk_device_release(device);
  wgk_package_release(package);
  wgk_kernel_release(kernel);
  if (failures == 0) printf("all expectations hold\n");
  return failures == 0 ? 0 : 1;
}
