// Times of compute passes, taken by the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <wgk/status.hpp>

#include "gpu/gpu_device.h"
#include "gpu/wait.h"

namespace wgk::gpu {

/// A fixed number of begin/end pairs. One thread at a time.
class Timestamps {
 public:
  /// Error: kDevice where the device lacks the feature timestamp-query.
  static Result<Timestamps> create(std::shared_ptr<GpuDevice> device, std::uint32_t pairs);

  /// The queries for the next pass; nullopt when all are used. Allocates nothing.
  std::optional<WGPUPassTimestampWrites> next();
  std::uint32_t used() const { return used_; }

  /// Nanoseconds of every pair used so far, in order. All passes must have been submitted. Waits for them.
  Result<std::vector<double>> resolve(Timeout timeout) const;
  /// Forgets what was used.
  void reset() { used_ = 0; }

 private:
  Timestamps() = default;

  std::shared_ptr<GpuDevice> device_;
  QuerySet queries_;
  Buffer resolved_;
  std::uint32_t pairs_ = 0;
  std::uint32_t used_ = 0;
};

}  // namespace wgk::gpu
