// Profiles: which calls were timed, and their times once somebody asks.
#include <utility>

#include <wgk/profile.hpp>

#include "base/try.h"
#include "runtime/device_access.h"
#include "runtime/profile_impl.h"

namespace wgk::inline v0 {

Profile::Profile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

Result<Profile> Profile::create(const Device& device, std::uint32_t calls) {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, runtime::webgpu_device_of(device, "profile"));
  WGK_TRY(gpu::Timestamps timestamps, gpu::Timestamps::create(std::move(gpu), calls));
  auto impl = std::make_unique<Impl>(Impl{std::move(timestamps), {}, 0});
  impl->calls.reserve(calls);
  return Profile(std::move(impl));
}

Result<std::vector<CallTime>> Profile::resolve(std::chrono::milliseconds timeout) const {
  WGK_TRY(const std::vector<double> times, impl_->timestamps.resolve(timeout));
  std::vector<CallTime> result;
  result.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Plan& plan = impl_->calls[i]->plan();
    result.push_back({plan.op, plan.variant, times[i]});
  }
  return result;
}

std::uint32_t Profile::dropped() const { return impl_->dropped; }

void Profile::reset() {
  impl_->timestamps.reset();
  impl_->calls.clear();
  impl_->dropped = 0;
}

}  // namespace wgk::inline v0
