// The GPU buffers of one call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "gpu/context.h"

namespace wgk::gpu {

/// Buffers in parallel to Plan::tensors, scratch and uniforms; null where no pass that runs, and no output, needs one.
struct CallBuffers {
  std::vector<Buffer> tensors;
  std::vector<Buffer> scratch;
  std::vector<Buffer> uniforms;

  /// The buffer a binding refers to. The plan must have passed check_plan.
  WGPUBuffer of(const PlanBinding& binding) const;
};

/// Creates the buffers and writes inputs and uniforms into them. The plan must have passed check_plan.
Result<CallBuffers> create_call_buffers(DeviceContext& context, const Plan& plan,
                                        std::span<const std::span<const std::byte>> inputs);

/// A buffer of buffer_size(bytes).
Result<Buffer> create_buffer(DeviceContext& context, std::string_view label, std::uint64_t bytes,
                             WGPUBufferUsage usage);

}  // namespace wgk::gpu
