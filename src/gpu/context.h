// What the parts of this layer share about an open device.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include <wgk/device_profile.hpp>
#include <wgk/limits.hpp>

#include "gpu/handles.h"
#include "gpu/wait.h"

namespace wgk::gpu {

/// What the two callbacks of a device have reported. They may come on any thread.
class DeviceEvents {
 public:
  void report_lost(std::string reason) noexcept;
  void report_error(std::string text) noexcept;

  bool lost() const { return lost_.load(std::memory_order_acquire); }
  std::string lost_reason() const;
  /// The first error that no scope caught since the last call; empty when there was none.
  std::string take_error();

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> lost_ = false;
  std::string lost_reason_;
  std::string error_;
};

/// An open device. Destruction order matters: objects before the device, the device before its instance and events.
struct DeviceContext {
  DeviceEvents events;
  Instance instance;
  Adapter adapter;
  DeviceHandle device;
  Queue queue;
  DeviceProfile profile;
  bool software = false;
  Timeout timeout = std::chrono::seconds(60);
  std::uint64_t max_call_bytes = limits::kMaxCallBytes;
  /// False: the application runs the event loop, and nobody else may let callbacks happen.
  bool polls = true;
  /// GPU work that does not end still uses the device: releasing it would wait for that work.
  std::atomic<bool> hung = false;
  /// Error scopes are one stack per device for all its threads, so only one thread at a time may have some open.
  std::recursive_mutex scopes;

  /// Waits as wait_for does, as far as this device may be polled.
  [[nodiscard]] bool wait(const std::atomic<bool>& arrived, Timeout limit) {
    return wait_for(arrived, polls ? instance.get() : nullptr, polls ? device.get() : nullptr, limit);
  }
};

}  // namespace wgk::gpu
