// wgk.h over the C++ API. Every function catches everything: no exception may reach C.
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/kernel.hpp>
#include <wgk/request.hpp>
#include <wgk/version.hpp>
#include <wgk/wgk.h>

#include "base/try.h"

// NOLINTBEGIN(readability-identifier-naming): names of the C API
struct wgk_device {
  wgk::Device value;
};
struct wgk_package {
  wgk::Package value;
};
struct wgk_kernel {
  wgk::Kernel value;
};
struct wgk_prepared {
  wgk::Prepared value;
};
struct wgk_bound {
  wgk::Bound value;
};
struct wgk_tensor {
  wgk::GpuTensor value;
};
struct wgk_profile {
  wgk::Profile value;
};
// NOLINTEND(readability-identifier-naming)

namespace {

using wgk::DType;
using wgk::Error;
using wgk::ErrorCode;
using wgk::Result;
using wgk::Status;

std::string& last_error() {
  thread_local std::string message;
  return message;
}

wgk_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCheckFailed:
      return WGK_STATUS_CHECK_FAILED;
    case ErrorCode::kUsage:
      return WGK_STATUS_USAGE;
    case ErrorCode::kPackage:
      return WGK_STATUS_PACKAGE;
    case ErrorCode::kRequest:
      return WGK_STATUS_REQUEST;
    case ErrorCode::kDevice:
      return WGK_STATUS_DEVICE;
  }
  return WGK_STATUS_DEVICE;
}

/// Runs `body`, which returns a Status, and keeps its message.
template <typename Body>
wgk_status guarded(Body&& body) noexcept {
  try {
    const Status status = body();
    if (status.ok()) return WGK_STATUS_OK;
    last_error() = status.error().message;
    return status_of(status.error().code);
  } catch (const std::exception& error) {
    try {
      last_error() = error.what();
    } catch (...) {  // no memory for the message: the code has to do
    }
    return WGK_STATUS_DEVICE;
  } catch (...) {
    return WGK_STATUS_DEVICE;
  }
}

/// The same for functions that yield an object.
template <typename Handle, typename Make>
wgk_status make_object(Handle** out, Make&& make) noexcept {
  return guarded([&]() -> Status {
    if (out == nullptr) return Error{ErrorCode::kUsage, "the out parameter is null"};
    auto made = make();
    if (!made.ok()) return std::move(made).error();
    *out = new Handle{*std::move(made)};
    return {};
  });
}

Error null_argument(const char* name) { return Error{ErrorCode::kUsage, fmt::format("{} is null", name)}; }

/// WGK_REQUIRED(a) returns a usage error when the argument is null.
#define WGK_REQUIRED(argument) \
  if ((argument) == nullptr) return null_argument(#argument)

Result<DType> dtype_of(wgk_dtype dtype) {
  static_assert(static_cast<int>(DType::kFloat32) == WGK_FLOAT32 && static_cast<int>(DType::kBool) == WGK_BOOL &&
                static_cast<int>(DType::kInt64) == WGK_INT64 && static_cast<int>(DType::kUint32) == WGK_UINT32);
  const auto number = static_cast<int>(dtype);
  if (number < WGK_FLOAT32 || number > WGK_BOOL) {
    return Error{ErrorCode::kUsage, fmt::format("{} is not a wgk_dtype", number)};
  }
  return static_cast<DType>(number);
}

Result<wgk::Shape> shape_of(const std::int64_t* dims, std::size_t rank) {
  if (dims == nullptr && rank != 0) return null_argument("shape");
  return rank == 0 ? wgk::Shape() : wgk::Shape(dims, dims + rank);
}

Result<std::string> text_of(const char* text, const char* what) {
  if (text == nullptr) return null_argument(what);
  return std::string(text);
}

Result<wgk::HostTensor> host_tensor_of(const wgk_host_tensor& given) {
  wgk::HostTensor tensor;
  WGK_TRY(tensor.dtype, dtype_of(given.dtype));
  WGK_TRY(tensor.shape, shape_of(given.shape, given.rank));
  if (given.data == nullptr && given.size != 0) return null_argument("data");
  tensor.data.resize(given.size);
  if (given.size != 0) std::memcpy(tensor.data.data(), given.data, given.size);
  return tensor;
}

Result<wgk::Attributes> attributes_of(const wgk_attribute* given, std::size_t count) {
  wgk::Attributes attributes;
  if (given == nullptr && count != 0) return null_argument("attributes");
  for (std::size_t i = 0; i < count; ++i) {
    WGK_TRY(std::string name, text_of(given[i].name, "name of an attribute"));
    WGK_TRY(const std::string json, text_of(given[i].json, "value of an attribute"));
    auto value = wgk::attribute_from_json(json);
    if (!value.ok()) return Error{ErrorCode::kUsage, fmt::format("attribute {}: {}", name, value.error().message)};
    attributes.insert_or_assign(std::move(name), *std::move(value));
  }
  return attributes;
}

Result<wgk::GpuTensors> tensors_of(const wgk_binding* given, std::size_t count) {
  wgk::GpuTensors tensors;
  if (given == nullptr && count != 0) return null_argument("bindings");
  tensors.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const wgk_binding& binding = given[i];
    wgk::NamedGpuView named;
    WGK_TRY(named.name, text_of(binding.name, "name of a binding"));
    if (binding.tensor != nullptr) {
      named.view = binding.tensor->value.view();
    } else {
      named.view.buffer = binding.buffer;
      WGK_TRY(named.view.dtype, dtype_of(binding.dtype));
      WGK_TRY(named.view.shape, shape_of(binding.shape, binding.rank));
      named.view.offset = binding.offset;
      named.view.size = binding.size;
    }
    tensors.push_back(std::move(named));
  }
  return tensors;
}

Status copy_out(const wgk::HostTensor& tensor, std::string_view name, void* data, std::size_t size) {
  if (tensor.data.size() != size) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: memory of {} bytes is given, the tensor has {}", name, size, tensor.data.size())};
  }
  if (size == 0) return {};
  WGK_REQUIRED(data);
  std::memcpy(data, tensor.data.data(), size);
  return {};
}

Status run_on_host(const wgk_kernel& kernel, const wgk_host_tensor* inputs, std::size_t input_count,
                   const wgk_attribute* attributes, std::size_t attribute_count, const wgk_host_output* outputs,
                   std::size_t output_count) {
  if (inputs == nullptr && input_count != 0) return null_argument("inputs");
  if (outputs == nullptr && output_count != 0) return null_argument("outputs");
  wgk::TensorMap tensors;
  for (std::size_t i = 0; i < input_count; ++i) {
    WGK_TRY(std::string name, text_of(inputs[i].name, "name of an input"));
    WGK_TRY(wgk::HostTensor tensor, host_tensor_of(inputs[i]));
    tensors.insert_or_assign(std::move(name), std::move(tensor));
  }
  wgk::RunOptions options;
  WGK_TRY(options.attrs, attributes_of(attributes, attribute_count));
  WGK_TRY(const wgk::RunResult result, kernel.value.run(tensors, options));
  for (std::size_t i = 0; i < output_count; ++i) {
    WGK_TRY(const std::string name, text_of(outputs[i].name, "name of an output"));
    WGK_CHECK(copy_out(result[name], name, outputs[i].data, outputs[i].size));
  }
  return {};
}

Result<wgk::CallSpec> spec_of(const wgk_tensor_spec* inputs, std::size_t input_count, const wgk_attribute* attributes,
                              std::size_t attribute_count) {
  if (inputs == nullptr && input_count != 0) return null_argument("inputs");
  wgk::CallSpec spec;
  for (std::size_t i = 0; i < input_count; ++i) {
    WGK_TRY(std::string name, text_of(inputs[i].name, "name of an input"));
    wgk::TensorSpec tensor;
    WGK_TRY(tensor.dtype, dtype_of(inputs[i].dtype));
    WGK_TRY(tensor.shape, shape_of(inputs[i].shape, inputs[i].rank));
    if (inputs[i].offset != 0) spec.offsets.insert_or_assign(name, inputs[i].offset);
    spec.inputs.insert_or_assign(std::move(name), std::move(tensor));
  }
  WGK_TRY(spec.attrs, attributes_of(attributes, attribute_count));
  return spec;
}

Result<wgk::DeviceOptions> device_options(wgk_device_kind kind, const char* adapter_name) {
  wgk::DeviceOptions options;
  switch (kind) {
    case WGK_DEVICE_AUTO:
      options.kind = wgk::DeviceKind::kAuto;
      break;
    case WGK_DEVICE_GPU:
      options.kind = wgk::DeviceKind::kGpu;
      break;
    case WGK_DEVICE_SOFTWARE:
      options.kind = wgk::DeviceKind::kSoftware;
      break;
    case WGK_DEVICE_CPU:
      options.kind = wgk::DeviceKind::kCpu;
      break;
    default:
      return Error{ErrorCode::kUsage, fmt::format("{} is not a wgk_device_kind", static_cast<int>(kind))};
  }
  if (adapter_name != nullptr) options.adapter_name = adapter_name;
  return options;
}

}  // namespace

const char* wgk_version(void) { return wgk::version_string(); }
const char* wgk_last_error(void) { return last_error().c_str(); }

wgk_status wgk_device_open(wgk_device_kind kind, const char* adapter_name, wgk_device** out) {
  return make_object(out, [&]() -> Result<wgk::Device> {
    WGK_TRY(const wgk::DeviceOptions options, device_options(kind, adapter_name));
    return wgk::Device::open(options);
  });
}

wgk_status wgk_device_open_cpu(uint32_t threads, wgk_device** out) {
  return make_object(out, [&] {
    wgk::DeviceOptions options;
    options.kind = wgk::DeviceKind::kCpu;
    options.cpu_threads = threads;
    return wgk::Device::open(options);
  });
}

wgk_status wgk_device_adopt(WGPUInstance instance, WGPUDevice device, WGPUAdapter adapter, int application_polls,
                            wgk_device** out) {
  return make_object(out, [&] {
    wgk::AdoptOptions options;
    options.adapter = adapter;
    options.application_polls = application_polls != 0;
    return wgk::Device::adopt(instance, device, options);
  });
}

wgk_device_kind wgk_device_get_kind(const wgk_device* device) {
  if (device == nullptr) return WGK_DEVICE_AUTO;
  switch (device->value.kind()) {
    case wgk::DeviceKind::kGpu:
      return WGK_DEVICE_GPU;
    case wgk::DeviceKind::kSoftware:
      return WGK_DEVICE_SOFTWARE;
    case wgk::DeviceKind::kCpu:
      return WGK_DEVICE_CPU;
    case wgk::DeviceKind::kAuto:
      break;
  }
  return WGK_DEVICE_AUTO;
}

const char* wgk_device_name(const wgk_device* device) {
  return device == nullptr ? "" : device->value.profile().adapter.device.c_str();
}
WGPUDevice wgk_device_webgpu(const wgk_device* device) {
  return device == nullptr ? nullptr : device->value.webgpu_device();
}
int wgk_device_lost(const wgk_device* device) { return device != nullptr && device->value.lost() ? 1 : 0; }
void wgk_device_release(wgk_device* device) { delete device; }

wgk_status wgk_package_load(const char* location, wgk_package** out) {
  return make_object(out, [&]() -> Result<wgk::Package> {
    WGK_REQUIRED(location);
    return wgk::Package::load(location);
  });
}

wgk_status wgk_package_from_memory(const char* name, const char* const* paths, const char* const* texts,
                                   const size_t* sizes, size_t count, wgk_package** out) {
  return make_object(out, [&]() -> Result<wgk::Package> {
    WGK_REQUIRED(name);
    WGK_REQUIRED(paths);
    WGK_REQUIRED(texts);
    std::map<std::string, std::string> files;
    for (std::size_t i = 0; i < count; ++i) {
      WGK_TRY(std::string path, text_of(paths[i], "path of a file"));
      if (texts[i] == nullptr) return null_argument("text of a file");
      files.insert_or_assign(std::move(path),
                             sizes == nullptr ? std::string(texts[i]) : std::string(texts[i], sizes[i]));
    }
    return wgk::Package::from_memory(files, name);
  });
}

const char* wgk_package_op(const wgk_package* package) { return package == nullptr ? "" : package->value.op().c_str(); }
void wgk_package_release(wgk_package* package) { delete package; }

wgk_status wgk_kernel_create(const wgk_device* device, const wgk_package* package, wgk_kernel** out) {
  return make_object(out, [&]() -> Result<wgk::Kernel> {
    WGK_REQUIRED(device);
    WGK_REQUIRED(package);
    return wgk::Kernel(device->value, package->value);
  });
}

wgk_status wgk_kernel_run(const wgk_kernel* kernel, const wgk_host_tensor* inputs, size_t input_count,
                          const wgk_attribute* attributes, size_t attribute_count, const wgk_host_output* outputs,
                          size_t output_count) {
  return guarded([&]() -> Status {
    WGK_REQUIRED(kernel);
    return run_on_host(*kernel, inputs, input_count, attributes, attribute_count, outputs, output_count);
  });
}

wgk_status wgk_kernel_run_gpu(const wgk_kernel* kernel, const wgk_binding* bindings, size_t binding_count,
                              const wgk_attribute* attributes, size_t attribute_count) {
  return guarded([&]() -> Status {
    WGK_REQUIRED(kernel);
    WGK_TRY(const wgk::GpuTensors tensors, tensors_of(bindings, binding_count));
    wgk::RunOptions options;
    WGK_TRY(options.attrs, attributes_of(attributes, attribute_count));
    WGK_TRY(const wgk::GpuRunResult result, kernel->value.run(tensors, options));
    if (result.outputs.empty()) return {};
    return Error{ErrorCode::kUsage, fmt::format("output {} has no binding", result.outputs.front().first)};
  });
}

wgk_status wgk_kernel_prepare(const wgk_kernel* kernel, const wgk_tensor_spec* inputs, size_t input_count,
                              const wgk_attribute* attributes, size_t attribute_count, wgk_prepared** out) {
  return make_object(out, [&]() -> Result<wgk::Prepared> {
    WGK_REQUIRED(kernel);
    WGK_TRY(const wgk::CallSpec spec, spec_of(inputs, input_count, attributes, attribute_count));
    return kernel->value.prepare(spec);
  });
}

void wgk_kernel_release(wgk_kernel* kernel) { delete kernel; }

const char* wgk_prepared_variant(const wgk_prepared* prepared) {
  return prepared == nullptr ? "" : prepared->value.plan().variant.c_str();
}

wgk_status wgk_prepared_create_tensor(const wgk_prepared* prepared, const char* name, wgk_tensor** out) {
  return make_object(out, [&]() -> Result<wgk::GpuTensor> {
    WGK_REQUIRED(prepared);
    WGK_REQUIRED(name);
    return prepared->value.create_tensor(name);
  });
}

wgk_status wgk_prepared_upload(const wgk_prepared* prepared, const wgk_host_tensor* tensor, wgk_tensor** out) {
  return make_object(out, [&]() -> Result<wgk::GpuTensor> {
    WGK_REQUIRED(prepared);
    WGK_REQUIRED(tensor);
    WGK_REQUIRED(tensor->name);
    WGK_TRY(const wgk::HostTensor host, host_tensor_of(*tensor));
    return prepared->value.upload(tensor->name, host);
  });
}

wgk_status wgk_prepared_bind(const wgk_prepared* prepared, const wgk_binding* bindings, size_t binding_count,
                             wgk_bound** out) {
  return make_object(out, [&]() -> Result<wgk::Bound> {
    WGK_REQUIRED(prepared);
    WGK_TRY(const wgk::GpuTensors tensors, tensors_of(bindings, binding_count));
    return prepared->value.bind(tensors);
  });
}

void wgk_prepared_release(wgk_prepared* prepared) { delete prepared; }

void wgk_bound_encode_pass(const wgk_bound* bound, WGPUComputePassEncoder pass) { bound->value.encode(pass); }
void wgk_bound_encode(const wgk_bound* bound, WGPUCommandEncoder encoder) { bound->value.encode(encoder); }
void wgk_bound_encode_timed(const wgk_bound* bound, WGPUCommandEncoder encoder, wgk_profile* profile) {
  bound->value.encode(encoder, profile->value);
}
wgk_status wgk_bound_submit(const wgk_bound* bound) {
  return guarded([&]() -> Status {
    WGK_REQUIRED(bound);
    return bound->value.submit();
  });
}
void wgk_bound_release(wgk_bound* bound) { delete bound; }

wgk_status wgk_tensor_create(const wgk_device* device, wgk_dtype dtype, const int64_t* shape, size_t rank,
                             wgk_tensor** out) {
  return make_object(out, [&]() -> Result<wgk::GpuTensor> {
    WGK_REQUIRED(device);
    WGK_TRY(const DType type, dtype_of(dtype));
    WGK_TRY(wgk::Shape dims, shape_of(shape, rank));
    return wgk::GpuTensor::create(device->value, type, std::move(dims));
  });
}

wgk_status wgk_tensor_upload(const wgk_device* device, const wgk_host_tensor* tensor, wgk_tensor** out) {
  return make_object(out, [&]() -> Result<wgk::GpuTensor> {
    WGK_REQUIRED(device);
    WGK_REQUIRED(tensor);
    WGK_TRY(const wgk::HostTensor host, host_tensor_of(*tensor));
    return wgk::GpuTensor::upload(device->value, host, tensor->name == nullptr ? "" : tensor->name);
  });
}

wgk_status wgk_tensor_write(wgk_tensor* tensor, const wgk_host_tensor* values) {
  return guarded([&]() -> Status {
    WGK_REQUIRED(tensor);
    WGK_REQUIRED(values);
    WGK_TRY(const wgk::HostTensor host, host_tensor_of(*values));
    return tensor->value.write(host);
  });
}

wgk_status wgk_tensor_download(const wgk_tensor* tensor, void* data, size_t size, uint32_t timeout_ms) {
  return guarded([&]() -> Status {
    WGK_REQUIRED(tensor);
    WGK_TRY(const wgk::HostTensor host, tensor->value.download(std::chrono::milliseconds(timeout_ms)));
    return copy_out(host, "tensor", data, size);
  });
}

WGPUBuffer wgk_tensor_buffer(const wgk_tensor* tensor) { return tensor == nullptr ? nullptr : tensor->value.buffer(); }
void wgk_tensor_release(wgk_tensor* tensor) { delete tensor; }

wgk_status wgk_profile_create(const wgk_device* device, uint32_t calls, wgk_profile** out) {
  return make_object(out, [&]() -> Result<wgk::Profile> {
    WGK_REQUIRED(device);
    return wgk::Profile::create(device->value, calls);
  });
}

wgk_status wgk_profile_resolve(const wgk_profile* profile, double* nanoseconds, size_t capacity, size_t* count) {
  return guarded([&]() -> Status {
    WGK_REQUIRED(profile);
    WGK_REQUIRED(count);
    if (capacity != 0) WGK_REQUIRED(nanoseconds);
    WGK_TRY(const std::vector<wgk::CallTime> times, profile->value.resolve());
    for (std::size_t i = 0; i < times.size() && i < capacity; ++i) nanoseconds[i] = times[i].nanoseconds;
    *count = times.size();
    return {};
  });
}

void wgk_profile_release(wgk_profile* profile) { delete profile; }
