// A prepared plan with its buffers: ready to be recorded any number of times.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <wgk/status.hpp>

#include "gpu/prepared_plan.h"

namespace wgk::gpu {

/// A range of a buffer. A null buffer stands for a tensor that no pass looks at.
struct BufferRange {
  WGPUBuffer buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  ///< 0: to the end of the buffer
};

/// Immutable after create(). Recording takes no lock and allocates nothing. Any thread, as far as encoders allow.
class BoundPlan {
 public:
  struct Step {
    WGPUComputePipeline pipeline;
    WGPUBindGroup group;
    std::array<std::uint32_t, 3> workgroups;
    bool submit_after;
  };

  /// `tensors` is parallel to Plan::tensors. Checks usage, size and alignment of every range and the rules about
  /// sharing (package-format section 15). Error: kRequest for what the caller can mend, else kDevice.
  static Result<BoundPlan> create(std::shared_ptr<const PreparedPlan> prepared, std::span<const BufferRange> tensors);

  void encode(WGPUComputePassEncoder pass) const noexcept { encode(pass, steps_); }
  /// In a compute pass of its own. `timestamps` may be null.
  void encode(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* timestamps) const noexcept;

  /// Submits the call and does not wait, but where a pass has submitAfter.
  Status submit(const WGPUPassTimestampWrites* timestamps) const;

  const std::shared_ptr<const PreparedPlan>& shared_prepared() const { return prepared_; }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  static void encode(WGPUComputePassEncoder pass, std::span<const Step> steps) noexcept;
  /// False when no pass could be begun.
  static bool encode(WGPUCommandEncoder encoder, std::span<const Step> steps,
                     const WGPUPassTimestampWrites* timestamps) noexcept;

  std::shared_ptr<const PreparedPlan> prepared_;  ///< first: it owns the device
  std::vector<Buffer> buffers_;                   ///< references, so that no handle is reused while this lives
  std::vector<BindGroup> groups_;
  std::vector<Step> steps_;
};

}  // namespace wgk::gpu
