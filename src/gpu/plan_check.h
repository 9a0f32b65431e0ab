// What must hold of a plan before any GPU object is made for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <wgk/device_profile.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

namespace wgk::gpu {

/// "⟨op⟩: variant '⟨v⟩'" and "⟨op⟩: variant '⟨v⟩', pass '⟨p⟩'": where an error belongs.
std::string place(const Plan& plan);
std::string place(const Plan& plan, const PlanPass& pass);

/// Size of the buffer for that many bytes: rounded up to 4 and at least 4. `bytes` must be at most 2^64 - 4.
constexpr std::uint64_t buffer_size(std::uint64_t bytes) { return bytes == 0 ? 4 : (bytes + 3) / 4 * 4; }

/// Checks that indices, sizes, dispatches and inputs fit each other and the device. A plan from the planner for this
/// device always passes; a plan that was stored, edited or made for another device may not.
Status check_plan(const Plan& plan, const DeviceProfile& profile);
Status check_plan(const Plan& plan, std::span<const std::span<const std::byte>> inputs, const DeviceProfile& profile);

/// What a call takes on the GPU beside the tensors that the caller brings.
enum class CallMemory {
  kAll,      ///< tensors and the buffers to read outputs back, too
  kPrepared  ///< scratch and uniforms
};

/// An error (kRequest) when the plan takes more than `limit` bytes. The single sizes have passed check_plan.
Status check_memory(const Plan& plan, CallMemory memory, std::uint64_t limit);

}  // namespace wgk::gpu
