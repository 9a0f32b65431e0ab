// Lending buffers and keeping what comes back within bounds.
#include "gpu/buffer_pool.h"

#include <algorithm>
#include <bit>

#include "base/try.h"
#include "gpu/call_buffers.h"

namespace wgk::gpu {
namespace {

// Small sizes share one class; above a MiB, rounding up to a power of two would waste more than it saves.
std::uint64_t size_class(std::uint64_t bytes) {
  constexpr std::uint64_t kSmallest = 256;
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  if (bytes <= kStep) return std::bit_ceil(std::max(bytes, kSmallest));
  return bytes > ~std::uint64_t{0} - kStep ? bytes : (bytes + kStep - 1) / kStep * kStep;
}

}  // namespace

void PooledBuffer::give_back() noexcept {
  if (pool_ != nullptr && buffer_) pool_->put_back(std::move(buffer_), size_);
  pool_ = nullptr;
  buffer_.reset();
}

Result<PooledBuffer> BufferPool::take(DeviceContext& context, std::uint64_t bytes) {
  // The class may exceed the limit of the device where the request itself does not.
  const std::uint64_t limit = context.profile.limit("maxBufferSize", ~std::uint64_t{0});
  const std::uint64_t size = size_class(bytes) <= limit ? size_class(bytes) : bytes;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const Idle& idle) { return idle.size == size; });
    if (found != idle_.end()) {
      Buffer buffer = std::move(found->buffer);
      idle_bytes_ -= size;
      idle_.erase(found);
      return PooledBuffer(*this, std::move(buffer), size);
    }
  }
  WGK_TRY(Buffer buffer, create_buffer(context, label_, size, usage_));
  return PooledBuffer(*this, std::move(buffer), size);
}

void BufferPool::put_back(Buffer buffer, std::uint64_t size) noexcept {
  if (size > kMaxIdleBytes) return;
  const std::lock_guard lock(mutex_);
  while (!idle_.empty() && (idle_.size() >= kMaxIdleBuffers || idle_bytes_ + size > kMaxIdleBytes)) {
    idle_bytes_ -= idle_.front().size;
    idle_.erase(idle_.begin());
  }
  try {
    idle_.push_back({std::move(buffer), size});
    idle_bytes_ += size;
  } catch (...) {  // no memory to remember it: it is released
  }
}

std::size_t BufferPool::idle_buffers() const {
  const std::lock_guard lock(mutex_);
  return idle_.size();
}

}  // namespace wgk::gpu
