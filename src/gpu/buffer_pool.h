// Buffers that are lent and come back, with a bound on what lies idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <wgk/status.hpp>

#include "gpu/context.h"

namespace wgk::gpu {

class BufferPool;

/// A buffer on loan, returned when this object dies. The pool must live as long.
class PooledBuffer {
 public:
  PooledBuffer() = default;
  PooledBuffer(BufferPool& pool, Buffer buffer, std::uint64_t size)
      : pool_(&pool), buffer_(std::move(buffer)), size_(size) {}
  ~PooledBuffer() { give_back(); }
  PooledBuffer(PooledBuffer&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), buffer_(std::move(other.buffer_)), size_(other.size_) {}
  PooledBuffer& operator=(PooledBuffer&& other) noexcept {
    if (this != &other) {
      give_back();
      pool_ = std::exchange(other.pool_, nullptr);
      buffer_ = std::move(other.buffer_);
      size_ = other.size_;
    }
    return *this;
  }

  WGPUBuffer get() const { return buffer_.get(); }
  std::uint64_t size() const { return size_; }
  /// Releases the buffer for good: something may still happen to it.
  void discard() {
    pool_ = nullptr;
    buffer_.reset();
  }

 private:
  void give_back() noexcept;

  BufferPool* pool_ = nullptr;
  Buffer buffer_;
  std::uint64_t size_ = 0;
};

/// Buffers of one usage in sizes of powers of two. Work that was submitted on a buffer before it came back is done
/// before work submitted by the next borrower, because a queue keeps its order. Any thread.
class BufferPool {
 public:
  static constexpr std::size_t kMaxIdleBuffers = 32;
  static constexpr std::uint64_t kMaxIdleBytes = std::uint64_t{64} << 20;

  BufferPool(std::string label, WGPUBufferUsage usage) : label_(std::move(label)), usage_(usage) {}

  /// At least `bytes` bytes of unspecified content.
  Result<PooledBuffer> take(DeviceContext& context, std::uint64_t bytes);

  std::size_t idle_buffers() const;

 private:
  friend class PooledBuffer;
  struct Idle {
    Buffer buffer;
    std::uint64_t size;
  };
  void put_back(Buffer buffer, std::uint64_t size) noexcept;

  std::string label_;
  WGPUBufferUsage usage_;
  mutable std::mutex mutex_;
  std::vector<Idle> idle_;  ///< oldest first
  std::uint64_t idle_bytes_ = 0;
};

}  // namespace wgk::gpu
