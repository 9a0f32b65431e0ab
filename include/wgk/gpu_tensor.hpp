// Tensors that live in buffers of a device.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/export.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>
#include <wgk/webgpu_handles.hpp>

namespace wgk::inline v0 {

/// A tensor in a range of a buffer, by value and without ownership: the buffer must live as long as the view is used.
/// `dtype` is what the buffer holds ("storage dtype"): float32 or float16 as the operator names it, but uint32 for
/// position ids, whose int64 values the packages narrow.
struct GpuView {
  WGPUBuffer buffer = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape{};
  std::uint64_t offset = 0;  ///< a multiple of the device limit minStorageBufferOffsetAlignment
  std::uint64_t size = 0;    ///< bytes; 0: to the end of the buffer

  friend bool operator==(const GpuView&, const GpuView&) = default;
};

/// How elements of that dtype are stored when nothing else is asked for: int64 as uint32, as index tensors of the
/// packages are, everything else under its own name (docs/format-support.md, "Storage").
WGK_API StorageFormat default_storage(DType dtype);

/// Data on their way to the host. Move-only. One thread at a time.
class WGK_API Download {
 public:
  Download(Download&&) noexcept;
  Download& operator=(Download&&) noexcept;
  ~Download();

  /// True when get() will not wait. Lets WebGPU make progress once, unless the application runs the event loop.
  bool ready() const;
  /// Waits at most `timeout` (0: as long as it takes). After a time-out, which is kDevice, it can be called again;
  /// after success the data are gone (kUsage).
  Result<HostTensor> get(std::chrono::milliseconds timeout = std::chrono::seconds(60));

 private:
  friend class GpuTensor;
  struct Impl;
  explicit Download(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A tensor on a device: its own buffer, or a reference to a range of the caller's. Move-only. Const use from any
/// thread. Work on it is done in the order in which it was submitted.
class WGK_API GpuTensor {
 public:
  /// A new buffer, filled with zeros.
  static Result<GpuTensor> create(const Device& device, DType dtype, Shape shape, std::string_view label = {});
  static Result<GpuTensor> create(const Device& device, const StorageFormat& format, Shape shape,
                                  std::string_view label = {});
  /// A new buffer with these values. Error: kRequest for a value that the storage cannot hold.
  static Result<GpuTensor> upload(const Device& device, const HostTensor& tensor, std::string_view label = {});
  static Result<GpuTensor> upload(const Device& device, const HostTensor& tensor, const StorageFormat& format,
                                  std::string_view label = {});
  /// A tensor in a buffer of the caller, which must be of this device. Keeps a reference to the buffer. Error: kRequest
  /// when it does not fit.
  static Result<GpuTensor> wrap(const Device& device, const GpuView& view);

  GpuTensor(GpuTensor&&) noexcept;
  GpuTensor& operator=(GpuTensor&&) noexcept;
  ~GpuTensor();

  /// Overwrites the values; dtype and shape must be those of this tensor.
  Status write(const HostTensor& tensor);
  /// Overwrites the values with those of a tensor of the same format and shape on the same device. Does not wait.
  Status copy_from(const GpuTensor& source);

  /// The values after all work submitted so far. Waits.
  Result<HostTensor> download(std::chrono::milliseconds timeout = std::chrono::seconds(60)) const;
  /// The same without waiting.
  Result<Download> download_async() const;

  const StorageFormat& format() const;  ///< what the buffer holds, and for which logical dtype
  const Shape& shape() const;  ///< elements, not bytes
  WGPUBuffer buffer() const;  ///< no reference is added
  std::uint64_t offset() const;  ///< bytes from the start of buffer()
  std::uint64_t size_bytes() const;  ///< of the data: element count times storage size
  GpuView view() const;  ///< valid while this tensor lives
  operator GpuView() const { return view(); }  ///< view(); NOLINT: implicit by design

 private:
  struct Impl;
  explicit GpuTensor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A tensor of a call by its name: bind key, or ONNX name where it is unambiguous.
struct NamedGpuView {
  std::string name;
  GpuView view;
};
using GpuTensors = std::vector<NamedGpuView>;

}  // namespace wgk::inline v0
