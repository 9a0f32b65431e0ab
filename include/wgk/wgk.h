/* The C API of wgk: the engine API of the C++ headers with opaque handles and status codes, for C11 and for FFI.
 *
 * - Every function that can fail returns a wgk_status; wgk_last_error() then has the message, until the next call of
 *   this API on the same thread. Out parameters are written on success only.
 * - Whoever gets a handle releases it with the function of its type; null is ignored. Objects keep what they need
 *   alive, so handles can be released in any order.
 * - Strings are UTF-8 and end with a zero. Arrays are a pointer and a count; the pointer may be null for a count of 0.
 * - Thread safety is that of the C++ classes: handles may be used from any thread, a wgk_tensor that is written and a
 *   wgk_profile from one at a time. */
#ifndef WGK_WGK_H
#define WGK_WGK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#include <wgk/export.hpp>
extern "C" {
#elif defined(WGK_STATIC) || !defined(_WIN32)
#define WGK_API
#else
#define WGK_API __declspec(dllimport)
#endif

/* As in webgpu.h. */
typedef struct WGPUAdapterImpl* WGPUAdapter;
typedef struct WGPUBufferImpl* WGPUBuffer;
typedef struct WGPUCommandEncoderImpl* WGPUCommandEncoder;
typedef struct WGPUComputePassEncoderImpl* WGPUComputePassEncoder;
typedef struct WGPUDeviceImpl* WGPUDevice;
typedef struct WGPUInstanceImpl* WGPUInstance;

/* The numbers are the exit codes of the command line. */
typedef enum wgk_status {
  WGK_STATUS_OK = 0,
  WGK_STATUS_CHECK_FAILED = 1,
  WGK_STATUS_USAGE = 2,
  WGK_STATUS_PACKAGE = 3,
  WGK_STATUS_REQUEST = 4,
  WGK_STATUS_DEVICE = 5
} wgk_status;

typedef enum wgk_device_kind {
  WGK_DEVICE_AUTO = 0,
  WGK_DEVICE_GPU = 1,
  WGK_DEVICE_SOFTWARE = 2,
  WGK_DEVICE_CPU = 3,
  WGK_DEVICE_FORCE32 = 0x7FFFFFFF /* not a kind: makes every int a value of the type, so that a wrong one is an error */
} wgk_device_kind;

typedef enum wgk_dtype {
  WGK_FLOAT32 = 0,
  WGK_FLOAT16 = 1,
  WGK_INT8 = 2,
  WGK_INT16 = 3,
  WGK_INT32 = 4,
  WGK_INT64 = 5,
  WGK_UINT8 = 6,
  WGK_UINT32 = 7,
  WGK_BOOL = 8,
  WGK_DTYPE_FORCE32 = 0x7FFFFFFF /* not a dtype; see WGK_DEVICE_FORCE32 */
} wgk_dtype;

typedef struct wgk_device wgk_device;
typedef struct wgk_package wgk_package;
typedef struct wgk_kernel wgk_kernel;
typedef struct wgk_prepared wgk_prepared;
typedef struct wgk_bound wgk_bound;
typedef struct wgk_tensor wgk_tensor;
typedef struct wgk_profile wgk_profile;

/* Dtype and shape of a named tensor, for wgk_kernel_prepare. */
typedef struct wgk_tensor_spec {
  const char* name;
  wgk_dtype dtype;
  const int64_t* shape;
  size_t rank;
  uint64_t offset; /* byte offset at which it will be bound; 0 as a rule */
} wgk_tensor_spec;

/* A named tensor in host memory, row-major. */
typedef struct wgk_host_tensor {
  const char* name;
  wgk_dtype dtype;
  const int64_t* shape;
  size_t rank;
  const void* data;
  size_t size; /* bytes */
} wgk_host_tensor;

/* Memory for a named output. */
typedef struct wgk_host_output {
  const char* name;
  void* data;
  size_t size; /* bytes; must be exactly what the output has */
} wgk_host_output;

/* A named tensor on the device: `tensor`, or where that is null the range of `buffer` that follows. */
typedef struct wgk_binding {
  const char* name;
  const wgk_tensor* tensor;
  WGPUBuffer buffer;
  wgk_dtype dtype; /* what the buffer holds: uint32 for position ids */
  const int64_t* shape;
  size_t rank;
  uint64_t offset;
  uint64_t size; /* bytes; 0: to the end of the buffer */
} wgk_binding;

/* An attribute: its value is JSON text, for example "1", "0.5", "[1, 1, 2]". */
typedef struct wgk_attribute {
  const char* name;
  const char* json;
} wgk_attribute;

/* "0.1.0" */
WGK_API const char* wgk_version(void);
/* The message of the last call on this thread that failed; "" when there was none. */
WGK_API const char* wgk_last_error(void);

/* `adapter_name` may be null. */
WGK_API wgk_status wgk_device_open(wgk_device_kind kind, const char* adapter_name, wgk_device** out);
/* The CPU path with at most that many threads in a call; 0: as many as there are CPUs, at most 16. */
WGK_API wgk_status wgk_device_open_cpu(uint32_t threads, wgk_device** out);
/* `instance` and `adapter` may be null. The device is never destroyed. */
WGK_API wgk_status wgk_device_adopt(WGPUInstance instance, WGPUDevice device, WGPUAdapter adapter,
                                    int application_polls, wgk_device** out);
WGK_API wgk_device_kind wgk_device_get_kind(const wgk_device* device);
/* The name of the adapter; lives as long as the device. */
WGK_API const char* wgk_device_name(const wgk_device* device);
/* Null for the CPU path. No reference is added. */
WGK_API WGPUDevice wgk_device_webgpu(const wgk_device* device);
/* 1 once the device is known to be lost. */
WGK_API int wgk_device_lost(const wgk_device* device);
WGK_API void wgk_device_release(wgk_device* device);

/* A folder, or the id of an installed package. */
WGK_API wgk_status wgk_package_load(const char* location, wgk_package** out);
/* `paths` are below build/webgpu/; `sizes` may be null where every text ends with a zero. */
WGK_API wgk_status wgk_package_from_memory(const char* name, const char* const* paths, const char* const* texts,
                                           const size_t* sizes, size_t count, wgk_package** out);
/* Lives as long as the package. */
WGK_API const char* wgk_package_op(const wgk_package* package);
WGK_API void wgk_package_release(wgk_package* package);

WGK_API wgk_status wgk_kernel_create(const wgk_device* device, const wgk_package* package, wgk_kernel** out);
/* Host tensors in, host memory out; waits. */
WGK_API wgk_status wgk_kernel_run(const wgk_kernel* kernel, const wgk_host_tensor* inputs, size_t input_count,
                                  const wgk_attribute* attributes, size_t attribute_count,
                                  const wgk_host_output* outputs, size_t output_count);
/* Tensors on the device in and out, all of them named; submits and does not wait. */
WGK_API wgk_status wgk_kernel_run_gpu(const wgk_kernel* kernel, const wgk_binding* bindings, size_t binding_count,
                                      const wgk_attribute* attributes, size_t attribute_count);
WGK_API wgk_status wgk_kernel_prepare(const wgk_kernel* kernel, const wgk_tensor_spec* inputs, size_t input_count,
                                      const wgk_attribute* attributes, size_t attribute_count, wgk_prepared** out);
WGK_API void wgk_kernel_release(wgk_kernel* kernel);

/* The variant that was selected; lives as long as the prepared call. */
WGK_API const char* wgk_prepared_variant(const wgk_prepared* prepared);
/* A new tensor for a port of the call, filled with zeros. */
WGK_API wgk_status wgk_prepared_create_tensor(const wgk_prepared* prepared, const char* name, wgk_tensor** out);
/* The same with values; the name is taken from `tensor`. */
WGK_API wgk_status wgk_prepared_upload(const wgk_prepared* prepared, const wgk_host_tensor* tensor, wgk_tensor** out);
WGK_API wgk_status wgk_prepared_bind(const wgk_prepared* prepared, const wgk_binding* bindings, size_t binding_count,
                                     wgk_bound** out);
WGK_API void wgk_prepared_release(wgk_prepared* prepared);

/* Record and nothing else. The pass is open and stays so. */
WGK_API void wgk_bound_encode_pass(const wgk_bound* bound, WGPUComputePassEncoder pass);
WGK_API void wgk_bound_encode(const wgk_bound* bound, WGPUCommandEncoder encoder);
WGK_API void wgk_bound_encode_timed(const wgk_bound* bound, WGPUCommandEncoder encoder, wgk_profile* profile);
WGK_API wgk_status wgk_bound_submit(const wgk_bound* bound);
WGK_API void wgk_bound_release(wgk_bound* bound);

WGK_API wgk_status wgk_tensor_create(const wgk_device* device, wgk_dtype dtype, const int64_t* shape, size_t rank,
                                     wgk_tensor** out);
/* The name in `tensor` may be null. */
WGK_API wgk_status wgk_tensor_upload(const wgk_device* device, const wgk_host_tensor* tensor, wgk_tensor** out);
/* Overwrites the values. */
WGK_API wgk_status wgk_tensor_write(wgk_tensor* tensor, const wgk_host_tensor* values);
/* Waits at most that long; 0: as long as it takes. `size` must be exactly what the tensor has in host memory. */
WGK_API wgk_status wgk_tensor_download(const wgk_tensor* tensor, void* data, size_t size, uint32_t timeout_ms);
WGK_API WGPUBuffer wgk_tensor_buffer(const wgk_tensor* tensor);
WGK_API void wgk_tensor_release(wgk_tensor* tensor);

WGK_API wgk_status wgk_profile_create(const wgk_device* device, uint32_t calls, wgk_profile** out);
/* Writes at most `capacity` times in nanoseconds, in order of recording, and how many calls there are. */
WGK_API wgk_status wgk_profile_resolve(const wgk_profile* profile, double* nanoseconds, size_t capacity, size_t* count);
WGK_API void wgk_profile_release(wgk_profile* profile);

#ifdef __cplusplus
}
#endif

#endif /* WGK_WGK_H */
