// A plan made ready on a device: pipelines compiled, uniforms uploaded, scratch allocated. What is left per call is to
// say which buffers it works on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "gpu/buffer_pool.h"
#include "gpu/gpu_device.h"
#include "gpu/pipeline_cache.h"

namespace wgk::gpu {

/// Immutable after create(). Any thread. Calls may share it, scratch included: the passes of one call are recorded next
/// to each other, and WebGPU runs what is recorded in order.
class PreparedPlan {
 public:
  /// A pass that will be dispatched.
  struct Step {
    const PlanPass* pass;  ///< into plan()
    std::shared_ptr<const Pipeline> pipeline;
  };

  /// Error: kDevice, with op, variant and pass.
  static Result<std::shared_ptr<const PreparedPlan>> create(std::shared_ptr<GpuDevice> device, Plan plan);

  /// The plan, with a first pass for every scratch buffer that has to be cleared.
  const Plan& plan() const { return plan_; }
  const std::shared_ptr<GpuDevice>& device() const { return device_; }
  const std::vector<Step>& steps() const { return steps_; }
  WGPUBuffer scratch(std::uint32_t index) const { return scratch_[index].get(); }
  /// The one buffer that holds all uniforms of the plan.
  WGPUBuffer uniforms() const { return uniforms_.get(); }
  std::uint64_t uniform_offset(std::uint32_t index) const { return uniform_offsets_[index]; }

 private:
  PreparedPlan(std::shared_ptr<GpuDevice> device, Plan plan);
  Status compile();
  Status upload_uniforms();
  Status take_scratch();
  bool uses(PlanBinding::Source source, std::uint32_t index) const;

  std::shared_ptr<GpuDevice> device_;  ///< first, so that it goes last
  Plan plan_;
  std::vector<Step> steps_;
  std::vector<PooledBuffer> scratch_;
  std::vector<std::uint64_t> uniform_offsets_;
  Buffer uniforms_;
};

}  // namespace wgk::gpu
