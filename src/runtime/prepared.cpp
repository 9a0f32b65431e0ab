// Prepared and Bound: a thin face over gpu::PreparedPlan and gpu::BoundPlan that speaks in names.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/prepared.hpp>

#include "base/try.h"
#include "runtime/prepared_impl.h"
#include "runtime/profile_impl.h"

namespace wgk::runtime {
namespace {

Error refused(const Plan& plan, std::string_view key, const std::string& reason) {
  return Error{ErrorCode::kRequest, fmt::format("{}: {}: {}", plan.op, key, reason)};
}

std::optional<std::size_t> tensor_index(const Plan& plan, std::string_view key) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    if (plan.tensors[i].key == key) return i;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<gpu::BufferRange>> ranges_of(const Prepared::Impl& prepared, const GpuTensors& tensors) {
  const Plan& plan = prepared.plan->plan();
  std::vector<gpu::BufferRange> ranges(plan.tensors.size());
  for (const NamedGpuView& given : tensors) {
    const std::string_view key = port_key(prepared.package->manifest, given.name);
    const auto index = tensor_index(plan, key);
    if (!index) return refused(plan, given.name, "the call was prepared without this tensor");
    if (ranges[*index].buffer != nullptr) return refused(plan, key, "bound twice");
    const PlanTensor& tensor = plan.tensors[*index];
    if (given.view.dtype != tensor.format.storage || given.view.shape != tensor.shape) {
      return refused(
          plan, key,
          fmt::format("{} {} is bound, but the call was prepared for {} {}", dtype_name(given.view.dtype),
                      to_string(given.view.shape), dtype_name(tensor.format.storage), to_string(tensor.shape)));
    }
    ranges[*index] = {given.view.buffer, given.view.offset, given.view.size};
  }
  return ranges;
}

Result<std::shared_ptr<const Bound::Impl>> bind_ranges(const Prepared::Impl& prepared,
                                                       std::span<const gpu::BufferRange> ranges) {
  WGK_TRY(gpu::BoundPlan plan, gpu::BoundPlan::create(prepared.plan, ranges));
  return std::shared_ptr<const Bound::Impl>(std::make_shared<Bound::Impl>(Bound::Impl{std::move(plan)}));
}

Status submit_bound(const Bound::Impl& bound, Profile* profile) {
  if (profile == nullptr || bound.plan.steps().empty()) return bound.plan.submit(nullptr);
  const auto writes = profile->impl().next(bound.plan.shared_prepared());
  return bound.plan.submit(writes ? &*writes : nullptr);
}

}  // namespace wgk::runtime

namespace wgk::inline v0 {

Prepared::Prepared(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

Result<Bound> Prepared::bind(const GpuTensors& tensors) const {
  WGK_TRY(const std::vector<gpu::BufferRange> ranges, runtime::ranges_of(*impl_, tensors));
  WGK_TRY(std::shared_ptr<const Bound::Impl> bound, runtime::bind_ranges(*impl_, ranges));
  return Bound(std::move(bound));
}

namespace {

Result<const PlanTensor*> find_tensor(const Prepared::Impl& prepared, std::string_view name) {
  const Plan& plan = prepared.plan->plan();
  const std::string_view key = runtime::port_key(prepared.package->manifest, name);
  for (const PlanTensor& tensor : plan.tensors) {
    if (tensor.key == key) return &tensor;
  }
  return Error{ErrorCode::kRequest, fmt::format("{}: {}: the call was prepared without this tensor", plan.op, name)};
}

}  // namespace

Result<GpuTensor> Prepared::create_tensor(std::string_view name) const {
  WGK_TRY(const PlanTensor* tensor, find_tensor(*impl_, name));
  return GpuTensor::create(impl_->device, tensor->format, tensor->shape, tensor->key);
}

Result<GpuTensor> Prepared::upload(std::string_view name, const HostTensor& host) const {
  WGK_TRY(const PlanTensor* tensor, find_tensor(*impl_, name));
  if (host.shape != tensor->shape) {
    return Error{ErrorCode::kRequest,
                 fmt::format("{}: {}: shape {} is given, but the call was prepared for {}", plan().op, tensor->key,
                             to_string(host.shape), to_string(tensor->shape))};
  }
  return GpuTensor::upload(impl_->device, host, tensor->format, tensor->key);
}

const Plan& Prepared::plan() const { return impl_->plan->plan(); }
const Device& Prepared::device() const { return impl_->device; }

Bound::Bound(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Bound::Bound(Bound&&) noexcept = default;
Bound& Bound::operator=(Bound&&) noexcept = default;
Bound::~Bound() = default;

void Bound::encode(WGPUComputePassEncoder pass) const noexcept { impl_->plan.encode(pass); }
void Bound::encode(WGPUCommandEncoder encoder) const noexcept { impl_->plan.encode(encoder, nullptr); }

void Bound::encode(WGPUCommandEncoder encoder, Profile& profile) const noexcept {
  if (impl_->plan.steps().empty()) return;
  const auto writes = profile.impl().next(impl_->plan.shared_prepared());
  impl_->plan.encode(encoder, writes ? &*writes : nullptr);
}

Status Bound::submit() const { return impl_->plan.submit(nullptr); }
std::size_t Bound::dispatch_count() const { return impl_->plan.steps().size(); }

}  // namespace wgk::inline v0
