// Storage for what the callbacks of a device report.
#include "gpu/context.h"

#include <utility>

namespace wgk::gpu {

void DeviceEvents::report_lost(std::string reason) noexcept {
  const std::lock_guard lock(mutex_);
  if (!lost_) lost_reason_ = std::move(reason);
  lost_.store(true, std::memory_order_release);
}

void DeviceEvents::report_error(std::string text) noexcept {
  const std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = std::move(text);
}

std::string DeviceEvents::lost_reason() const {
  const std::lock_guard lock(mutex_);
  return lost_reason_;
}

std::string DeviceEvents::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, {});
}

}  // namespace wgk::gpu
