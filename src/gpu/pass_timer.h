// How long calls take on the GPU when many of them stand in one compute pass.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <wgk/status.hpp>

#include "gpu/bound_plan.h"
#include "gpu/gpu_device.h"
#include "gpu/timestamps.h"

namespace wgk::gpu {

/// What some passes of the same content took.
struct PassTimes {
  std::vector<double> pass_ns;  ///< by pass
  double encode_ns = 0;         ///< host time to record one call, the quickest pass
};

/// Uses timestamps where the device has them. Elsewhere a pass is timed from the outside, from its submission until it
/// has been done, and what an empty queue costs is taken off by timing a pass of twice as many calls as well.
/// One thread at a time.
class PassTimer {
 public:
  static Result<PassTimer> create(std::shared_ptr<GpuDevice> device);

  /// Whether times are those of the GPU's own clock.
  bool gpu_clock() const { return timestamps_.has_value(); }

  /// Submits `passes` passes of `calls` calls each, taking turns with `bound` (in each pass from the first on), and
  /// waits for them. `calls` and `passes` are at least 1; `passes` at most kMostPasses. Error: kDevice.
  Result<PassTimes> time(std::span<const BoundPlan* const> bound, std::uint32_t calls, std::uint32_t passes);

  static constexpr std::uint32_t kMostPasses = 256;

 private:
  PassTimer() = default;
  Result<CommandBuffer> record(std::span<const BoundPlan* const> bound, std::uint32_t calls,
                               const WGPUPassTimestampWrites* writes, double& encode_ns);
  Result<double> wall_ns(std::span<const BoundPlan* const> bound, std::uint32_t calls, double& encode_ns);

  std::shared_ptr<GpuDevice> device_;  ///< first, so that it goes last
  std::optional<Timestamps> timestamps_;
};

}  // namespace wgk::gpu
