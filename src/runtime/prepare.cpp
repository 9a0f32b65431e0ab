// Preparing calls: at once, on another thread, and many together.
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <wgk/kernel.hpp>

#include "base/out_of_memory.h"
#include "base/try.h"
#include "runtime/device_access.h"
#include "runtime/prepared_future.h"
#include "runtime/prepared_impl.h"

namespace wgk::inline v0 {
namespace {

Result<Prepared> make_prepared(const Device& device, const Package& package, Plan plan) {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, runtime::webgpu_device_of(device, package.op()));
  WGK_TRY(std::shared_ptr<const gpu::PreparedPlan> prepared,
          gpu::PreparedPlan::create(std::move(gpu), std::move(plan)));
  return Prepared(std::make_shared<Prepared::Impl>(Prepared::Impl{device, package.impl(), std::move(prepared)}));
}

}  // namespace

Result<Prepared> Kernel::prepare(const CallSpec& spec) const try {
  WGK_CHECK(runtime::webgpu_device_of(device_, package_.op()));
  WGK_TRY(Plan plan, runtime::plan_spec(device_, package_, spec));
  return make_prepared(device_, package_, std::move(plan));
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

PreparedFuture Kernel::prepare_async(CallSpec spec) const {
  auto impl = std::make_unique<PreparedFuture::Impl>();
  PreparedFuture::Impl& state = *impl;
  auto work = [&state, kernel = *this, wanted = std::move(spec)] {
    try {
      state.finish(kernel.prepare(wanted));
    } catch (const std::bad_alloc&) {
      state.finish(Error{ErrorCode::kDevice, kernel.package().op() + ": not enough host memory"});
    }
  };
  try {
    state.thread = std::thread(std::move(work));
  } catch (const std::system_error&) {
    state.finish(Error{ErrorCode::kDevice, package_.op() + ": the system gives no thread to prepare on"});
  }
  return PreparedFuture(std::move(impl));
}

Result<std::vector<Prepared>> Kernel::prepare_many(std::span<const CallSpec> specs) const {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, runtime::webgpu_device_of(device_, package_.op()));
  std::vector<Plan> plans;
  std::vector<const PlanPass*> passes;
  plans.reserve(specs.size());
  for (const CallSpec& spec : specs) {
    WGK_TRY(Plan plan, runtime::plan_spec(device_, package_, spec));
    plans.push_back(std::move(plan));
  }
  for (const Plan& plan : plans) {
    for (const PlanPass& pass : plan.passes) {
      if (!plan.empty && !pass.skipped()) passes.push_back(&pass);
    }
  }
  gpu->pipelines().warm(gpu->context(), passes, std::thread::hardware_concurrency());
  std::vector<Prepared> prepared;
  prepared.reserve(plans.size());
  for (Plan& plan : plans) {
    WGK_TRY(Prepared one, make_prepared(device_, package_, std::move(plan)));
    prepared.push_back(std::move(one));
  }
  return prepared;
}

PreparedFuture::PreparedFuture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PreparedFuture::PreparedFuture(PreparedFuture&&) noexcept = default;
PreparedFuture& PreparedFuture::operator=(PreparedFuture&&) noexcept = default;
PreparedFuture::~PreparedFuture() = default;

bool PreparedFuture::ready() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->done;
}

Result<Prepared> PreparedFuture::get(std::chrono::milliseconds timeout) {
  std::unique_lock lock(impl_->mutex);
  const auto done = [this] { return impl_->done; };
  if (timeout.count() == 0) {
    impl_->finished.wait(lock, done);
  } else if (!impl_->finished.wait_for(lock, timeout, done)) {
    return Error{ErrorCode::kDevice, fmt::format("the call is not prepared after {} ms", timeout.count())};
  }
  if (!impl_->result) return Error{ErrorCode::kUsage, "the prepared call was already taken"};
  Result<Prepared> result = *std::move(impl_->result);
  impl_->result.reset();
  return result;
}

}  // namespace wgk::inline v0
