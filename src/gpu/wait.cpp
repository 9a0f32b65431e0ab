// Waiting for wgpu-native, whose wgpuInstanceWaitAny ends the process: poll the device and process events. Another
// implementation of webgpu.h needs a change in this file only.
#include "gpu/wait.h"

#include <algorithm>
#include <thread>

#include "gpu/procs.h"

namespace wgk::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// Most calls end within this time on a GPU, so giving up the processor is cheaper than a sleep.
constexpr auto kSpin = std::chrono::microseconds(100);
constexpr auto kLongestSleep = std::chrono::milliseconds(1);

// Sleeping an eighth of the time that has passed bounds what polling adds to a call.
void pause_after(Clock::duration elapsed) {
  if (elapsed < kSpin) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::min<Clock::duration>(elapsed / 8, kLongestSleep));
  }
}

}  // namespace

void poll_once(WGPUInstance instance, WGPUDevice device) {
  // A blocking poll could not be ended by a time-out. The result is ignored: wgpu-native sets one byte of it only.
  if (device != nullptr) procs().wgpuDevicePoll(device, WGPU_FALSE, nullptr);
  if (instance != nullptr) procs().wgpuInstanceProcessEvents(instance);
}

bool wait_for(const std::atomic<bool>& arrived, WGPUInstance instance, WGPUDevice device, Timeout timeout) {
  const auto start = Clock::now();
  while (!arrived.load(std::memory_order_acquire)) {
    poll_once(instance, device);
    if (arrived.load(std::memory_order_acquire)) return true;
    const auto elapsed = Clock::now() - start;
    if (timeout.count() > 0 && elapsed >= timeout) return false;
    pause_after(elapsed);
  }
  return true;
}

}  // namespace wgk::gpu
