// Moving bytes between host memory and buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <wgk/status.hpp>

#include "gpu/buffer_pool.h"
#include "gpu/gpu_device.h"
#include "gpu/wait.h"

namespace wgk::gpu {

/// Writes bytes at a multiple of 4; a last word that they do not fill is filled up with zeros.
Status write_buffer(DeviceContext& context, WGPUBuffer buffer, std::uint64_t offset, std::span<const std::byte> bytes,
                    std::string_view name);

/// Submits a copy. Offsets and size are multiples of 4.
Status copy_buffer(DeviceContext& context, WGPUBuffer source, std::uint64_t source_offset, WGPUBuffer target,
                   std::uint64_t target_offset, std::uint64_t size);

/// Bytes on their way from a buffer to the host. Move-only.
class PendingRead {
 public:
  /// Submits the copy behind all work so far. `offset` is a multiple of 4; the size is rounded up to one.
  static Result<PendingRead> start(std::shared_ptr<GpuDevice> device, WGPUBuffer buffer, std::uint64_t offset,
                                   std::uint64_t bytes);
  PendingRead(PendingRead&&) = default;
  PendingRead& operator=(PendingRead&& other) noexcept {
    // Swapping keeps the order in which members of the old value go: the pool after its buffer.
    std::swap(device_, other.device_);
    std::swap(staging_, other.staging_);
    std::swap(bytes_, other.bytes_);
    std::swap(reply_, other.reply_);
    return *this;
  }
  ~PendingRead();

  /// True when get() will not wait. Polls once where the device may be polled.
  bool ready() const;
  /// Waits at most `timeout` (0: as long as it takes). After a time-out it can be called again; after success the bytes
  /// are gone.
  Result<std::vector<std::byte>> get(Timeout timeout);

 private:
  PendingRead() = default;

  std::shared_ptr<GpuDevice> device_;  ///< first: it owns the pool of `staging_`
  PooledBuffer staging_;
  std::uint64_t bytes_ = 0;
  std::shared_ptr<Reply<WGPUMapAsyncStatus>> reply_;
};

}  // namespace wgk::gpu
