// Waiting for WebGPU callbacks. wait.cpp is the one file that knows how this implementation waits.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "gpu/webgpu_api.h"

namespace wgk::gpu {

/// Zero means: wait as long as it takes.
using Timeout = std::chrono::milliseconds;

/// What a callback reported. Owned by the caller and by the callback together, so that a callback that comes after the
/// caller has given up writes into memory that still exists.
template <typename Payload>
struct Reply {
  std::atomic<bool> arrived = false;
  Payload payload{};
  std::string message;
};

/// The userdata for a callback that answers into `reply`; that callback must take it back with `take_reply`.
template <typename Payload>
void* reply_userdata(const std::shared_ptr<Reply<Payload>>& reply) {
  return new std::shared_ptr<Reply<Payload>>(reply);
}

template <typename Payload>
std::shared_ptr<Reply<Payload>> take_reply(void* userdata) noexcept {
  const std::unique_ptr<std::shared_ptr<Reply<Payload>>> owner(static_cast<std::shared_ptr<Reply<Payload>>*>(userdata));
  return std::move(*owner);
}

/// Stores message and payload, then marks the reply as arrived. Never throws: throwing through the implementation's
/// frames is undefined. A message that does not fit into memory is dropped.
template <typename Payload>
void deliver(void* userdata, Payload payload, WGPUStringView message) noexcept {
  const auto reply = take_reply<Payload>(userdata);
  reply->payload = payload;
  try {
    reply->message = from_wgpu(message);
  } catch (...) {
  }
  reply->arrived.store(true, std::memory_order_release);
}

/// Lets the implementation work until `arrived` is set; false when `timeout` passed first. Both handles may be null:
/// then nothing is polled, and somebody else has to.
[[nodiscard]] bool wait_for(const std::atomic<bool>& arrived, WGPUInstance instance, WGPUDevice device,
                            Timeout timeout);

/// Lets the implementation deliver what is due, without waiting. Handles as above.
void poll_once(WGPUInstance instance, WGPUDevice device);

}  // namespace wgk::gpu
