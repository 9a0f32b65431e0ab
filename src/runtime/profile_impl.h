// What a Profile holds.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <wgk/profile.hpp>

#include "gpu/prepared_plan.h"
#include "gpu/timestamps.h"

namespace wgk::inline v0 {

struct Profile::Impl {
  gpu::Timestamps timestamps;
  std::vector<std::shared_ptr<const gpu::PreparedPlan>> calls;  ///< one per used pair; room for all is reserved
  std::uint32_t dropped = 0;

  /// The queries for one more call; nullopt when the profile is full. Allocates nothing.
  std::optional<WGPUPassTimestampWrites> next(const std::shared_ptr<const gpu::PreparedPlan>& call) {
    const auto writes = timestamps.next();
    if (writes) {
      calls.push_back(call);
    } else {
      ++dropped;
    }
    return writes;
  }
};

}  // namespace wgk::inline v0
