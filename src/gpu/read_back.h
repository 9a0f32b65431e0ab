// Copying results from the GPU to host memory.
#pragma once

#include <cstddef>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "gpu/call_buffers.h"
#include "gpu/context.h"

namespace wgk::gpu {

/// One staging buffer for each output tensor of a plan, in the order of Plan::tensors.
class ReadBack {
 public:
  static Result<ReadBack> create(DeviceContext& context, const Plan& plan);

  /// Records the copies out of the tensors.
  void encode(const CommandEncoder& encoder, const CallBuffers& buffers) const;

  /// Maps the staging buffers once the copies have been submitted, waits, and returns their bytes.
  Result<std::vector<std::vector<std::byte>>> collect(DeviceContext& context) const;

 private:
  struct Output {
    std::size_t tensor;
    std::size_t bytes;
    Buffer staging;
  };
  std::vector<Output> outputs_;
};

}  // namespace wgk::gpu
