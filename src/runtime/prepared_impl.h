// What Prepared and Bound hold, and how a spec becomes a Prepared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <wgk/kernel.hpp>
#include <wgk/prepared.hpp>

#include "gpu/bound_plan.h"
#include "gpu/prepared_plan.h"
#include "package/model.h"

namespace wgk::inline v0 {

struct Prepared::Impl {
  Device device;
  std::shared_ptr<const package::LoadedPackage> package;
  std::shared_ptr<const gpu::PreparedPlan> plan;
};

struct Bound::Impl {
  gpu::BoundPlan plan;
};

}  // namespace wgk::inline v0

namespace wgk::runtime {

using Offsets = std::map<std::string, std::uint64_t, std::less<>>;

/// The plan of the first variant, in the order of selection, that reads no wider elements than the offsets (by bind
/// key) allow. Error: kRequest, naming tensor and limit.
Result<Plan> plan_for_offsets(const Package& package, PlanRequest request, const DeviceProfile& profile,
                              const Offsets& offsets);

/// Checks the contract and plans.
Result<Plan> plan_spec(const Device& device, const Package& package, const CallSpec& spec);

/// The key of the port that `name` stands for, whatever its direction; `name` itself where there is none.
std::string_view port_key(const package::Manifest& manifest, std::string_view name);

/// Finds the range of every tensor of the plan. Error: kRequest.
Result<std::vector<gpu::BufferRange>> ranges_of(const Prepared::Impl& prepared, const GpuTensors& tensors);

Result<std::shared_ptr<const Bound::Impl>> bind_ranges(const Prepared::Impl& prepared,
                                                       std::span<const gpu::BufferRange> ranges);

/// Submits a bound call, timed where there is a profile.
Status submit_bound(const Bound::Impl& bound, Profile* profile);

}  // namespace wgk::runtime
