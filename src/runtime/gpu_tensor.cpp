// Tensors in buffers: creation, wrapping, and moving values in and out.
#include <string>
#include <utility>

#include <fmt/format.h>

#include <wgk/gpu_tensor.hpp>

#include "base/storage.h"
#include "base/try.h"
#include "gpu/call_buffers.h"
#include "gpu/error_scope.h"
#include "gpu/transfer.h"
#include "runtime/device_access.h"

namespace wgk::inline v0 {

struct GpuTensor::Impl {
  std::shared_ptr<gpu::GpuDevice> device;  ///< first, so that it goes last
  gpu::Buffer buffer;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< of the data, without padding
  StorageFormat format;
  Shape shape;
  std::string label;
};

struct Download::Impl {
  gpu::PendingRead read;
  StorageFormat format;
  Shape shape;
};

namespace {

constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

std::string named(std::string_view label) { return label.empty() ? "tensor" : std::string(label); }

Result<std::uint64_t> storage_bytes(const StorageFormat& format, const Shape& shape, std::string_view label) {
  const auto count = element_count(shape);
  if (!count) {
    return Error{ErrorCode::kRequest, fmt::format("{}: shape {} is out of range", label, to_string(shape))};
  }
  return base::storage_byte_length(format, static_cast<std::uint64_t>(*count));
}

Status check_size(const DeviceProfile& profile, std::uint64_t bytes, std::string_view label) {
  const std::uint64_t limit = profile.limit("maxBufferSize", ~std::uint64_t{0});
  if (base::storage_buffer_size(bytes) <= limit) return {};
  return Error{ErrorCode::kRequest,
               fmt::format("{}: {} bytes are more than maxBufferSize of this device ({})", label, bytes, limit)};
}

}  // namespace

StorageFormat default_storage(DType dtype) {
  StorageFormat format{dtype, dtype, false, false};
  if (dtype == DType::kInt64) format.storage = DType::kUint32;
  return format;
}

GpuTensor::GpuTensor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GpuTensor::GpuTensor(GpuTensor&&) noexcept = default;
GpuTensor& GpuTensor::operator=(GpuTensor&&) noexcept = default;
GpuTensor::~GpuTensor() = default;

Result<GpuTensor> GpuTensor::create(const Device& device, DType dtype, Shape shape, std::string_view label) {
  return create(device, default_storage(dtype), std::move(shape), label);
}

Result<GpuTensor> GpuTensor::create(const Device& device, const StorageFormat& format, Shape shape,
                                    std::string_view label) {
  auto impl = std::make_unique<Impl>();
  impl->label = named(label);
  WGK_TRY(impl->device, runtime::webgpu_device_of(device, impl->label));
  WGK_TRY(impl->bytes, storage_bytes(format, shape, impl->label));
  WGK_CHECK(check_size(device.profile(), impl->bytes, impl->label));
  WGK_CHECK(gpu::check_not_lost(impl->device->context()));
  WGK_TRY(impl->buffer, gpu::create_buffer(impl->device->context(), impl->label, impl->bytes, kUsage));
  impl->format = format;
  impl->shape = std::move(shape);
  return GpuTensor(std::move(impl));
}

Result<GpuTensor> GpuTensor::upload(const Device& device, const HostTensor& tensor, std::string_view label) {
  return upload(device, tensor, default_storage(tensor.dtype), label);
}

Result<GpuTensor> GpuTensor::upload(const Device& device, const HostTensor& tensor, const StorageFormat& format,
                                    std::string_view label) {
  WGK_TRY(GpuTensor result, create(device, format, tensor.shape, label));
  WGK_CHECK(result.write(tensor));
  return result;
}

Result<GpuTensor> GpuTensor::wrap(const Device& device, const GpuView& view) {
  auto impl = std::make_unique<Impl>();
  impl->label = "tensor";
  WGK_TRY(impl->device, runtime::webgpu_device_of(device, impl->label));
  if (view.buffer == nullptr) return Error{ErrorCode::kRequest, "the buffer of the view is null"};
  impl->format = StorageFormat{view.dtype, view.dtype, false, false};
  WGK_TRY(impl->bytes, storage_bytes(impl->format, view.shape, impl->label));
  const std::uint64_t whole = gpu::procs().wgpuBufferGetSize(view.buffer);
  const std::uint64_t needed = base::storage_buffer_size(impl->bytes);
  const std::uint64_t available = view.offset > whole ? 0 : view.size == 0 ? whole - view.offset : view.size;
  if (view.offset > whole || available > whole - view.offset || available < needed) {
    return Error{ErrorCode::kRequest,
                 fmt::format("{} {} needs {} bytes; the view has {} at offset {} of a buffer of {}",
                             dtype_name(view.dtype), to_string(view.shape), needed, available, view.offset, whole)};
  }
  if (view.offset % 4 != 0) {
    return Error{ErrorCode::kRequest, fmt::format("offset {} must be a multiple of 4", view.offset)};
  }
  gpu::procs().wgpuBufferAddRef(view.buffer);
  impl->buffer = gpu::Buffer(view.buffer);
  impl->offset = view.offset;
  impl->shape = view.shape;
  return GpuTensor(std::move(impl));
}

Status GpuTensor::write(const HostTensor& tensor) {
  if (tensor.shape != impl_->shape) {
    return Error{ErrorCode::kRequest, fmt::format("{}: shape {} must be {}", impl_->label, to_string(tensor.shape),
                                                  to_string(impl_->shape))};
  }
  gpu::DeviceContext& context = impl_->device->context();
  WGK_CHECK(gpu::check_not_lost(context));
  WGK_TRY(const std::vector<std::byte> bytes, base::to_storage(tensor, impl_->format, impl_->label));
  return gpu::write_buffer(context, impl_->buffer.get(), impl_->offset, bytes, impl_->label);
}

Status GpuTensor::copy_from(const GpuTensor& source) {
  const Impl& from = *source.impl_;
  if (from.device != impl_->device) {
    return Error{ErrorCode::kUsage, fmt::format("{}: the tensor to copy is on another device", impl_->label)};
  }
  if (from.format.storage != impl_->format.storage || from.format.packed != impl_->format.packed ||
      from.shape != impl_->shape) {
    return Error{ErrorCode::kRequest,
                 fmt::format("{}: {} {} cannot be copied to {} {}", impl_->label, dtype_name(from.format.storage),
                             to_string(from.shape), dtype_name(impl_->format.storage), to_string(impl_->shape))};
  }
  if (impl_->bytes == 0) return {};
  return gpu::copy_buffer(impl_->device->context(), from.buffer.get(), from.offset, impl_->buffer.get(), impl_->offset,
                          base::storage_buffer_size(impl_->bytes));
}

Result<Download> GpuTensor::download_async() const {
  gpu::DeviceContext& context = impl_->device->context();
  WGK_CHECK(gpu::check_not_lost(context));
  WGK_TRY(gpu::PendingRead read,
          gpu::PendingRead::start(impl_->device, impl_->buffer.get(), impl_->offset, impl_->bytes));
  return Download(std::unique_ptr<Download::Impl>(new Download::Impl{std::move(read), impl_->format, impl_->shape}));
}

Result<HostTensor> GpuTensor::download(std::chrono::milliseconds timeout) const {
  WGK_TRY(Download download, download_async());
  return download.get(timeout);
}

const StorageFormat& GpuTensor::format() const { return impl_->format; }
const Shape& GpuTensor::shape() const { return impl_->shape; }
WGPUBuffer GpuTensor::buffer() const { return impl_->buffer.get(); }
std::uint64_t GpuTensor::offset() const { return impl_->offset; }
std::uint64_t GpuTensor::size_bytes() const { return impl_->bytes; }

GpuView GpuTensor::view() const {
  return {impl_->buffer.get(), impl_->format.storage, impl_->shape, impl_->offset,
          base::storage_buffer_size(impl_->bytes)};
}

Download::Download(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Download::Download(Download&&) noexcept = default;
Download& Download::operator=(Download&&) noexcept = default;
Download::~Download() = default;

bool Download::ready() const { return impl_->read.ready(); }

Result<HostTensor> Download::get(std::chrono::milliseconds timeout) {
  WGK_TRY(const std::vector<std::byte> bytes, impl_->read.get(timeout));
  return base::from_storage(bytes, impl_->format, impl_->shape, "tensor");
}

}  // namespace wgk::inline v0
