// Kernel::run on tensors that are on the device already.
#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <wgk/kernel.hpp>

#include "base/out_of_memory.h"
#include "base/try.h"
#include "runtime/device_access.h"
#include "runtime/kernel_state.h"

namespace wgk::inline v0 {
namespace {

using package::Direction;
using package::Manifest;
using package::Port;

const Port* find_port(const Manifest& manifest, std::string_view name) {
  const std::string_view key = runtime::port_key(manifest, name);
  const auto found =
      std::find_if(manifest.ports.begin(), manifest.ports.end(), [&](const Port& port) { return port.key == key; });
  return found == manifest.ports.end() ? nullptr : &*found;
}

Result<CallSpec> spec_of(const Manifest& manifest, const GpuTensors& tensors, const RunOptions& options) {
  CallSpec spec;
  for (const NamedGpuView& given : tensors) {
    const Port* port = find_port(manifest, given.name);
    if (port == nullptr) {
      return Error{ErrorCode::kRequest,
                   fmt::format("{}: \"{}\" is not a tensor arg of this op", manifest.op, given.name)};
    }
    auto& side = port->direction == Direction::kOutput ? spec.outputs : spec.inputs;
    if (!side.emplace(port->key, TensorSpec{given.view.dtype, given.view.shape}).second) {
      return Error{ErrorCode::kRequest, fmt::format("{}: {}: given twice", manifest.op, port->key)};
    }
    if (given.view.offset != 0) spec.offsets.emplace(port->key, given.view.offset);
  }
  spec.attrs = options.attrs;
  spec.args = options.args;
  spec.variant = options.variant;
  spec.tunables = options.tunables;
  spec.wanted_outputs = options.outputs;
  return spec;
}

/// Creates the outputs that have no buffer yet.
Result<std::vector<std::pair<std::string, GpuTensor>>> create_outputs(const Prepared::Impl& prepared,
                                                                      std::vector<gpu::BufferRange>& ranges) {
  const Plan& plan = prepared.plan->plan();
  std::vector<std::pair<std::string, GpuTensor>> created;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlanTensor& tensor = plan.tensors[i];
    if (!tensor.is_output || ranges[i].buffer != nullptr) continue;
    WGK_TRY(GpuTensor output, GpuTensor::create(prepared.device, tensor.format, tensor.shape, tensor.key));
    ranges[i] = {output.buffer(), 0, 0};
    created.emplace_back(tensor.key, std::move(output));
  }
  return created;
}

}  // namespace

Result<GpuRunResult> Kernel::run(const GpuTensors& tensors, const RunOptions& options) const try {
  WGK_TRY(CallSpec spec, spec_of(package_.impl()->manifest, tensors, options));
  std::shared_ptr<const Prepared::Impl> prepared = state_->find(spec);
  if (!prepared) {
    WGK_TRY(const Prepared fresh, prepare(spec));
    prepared = fresh.impl();
    state_->remember(std::move(spec), prepared);
  }
  GpuRunResult result;
  result.variant = prepared->plan->plan().variant;
  WGK_TRY(std::vector<gpu::BufferRange> ranges, runtime::ranges_of(*prepared, tensors));
  WGK_TRY(result.outputs, create_outputs(*prepared, ranges));

  // Buffers that were made for this call will not come again, and must not be kept alive.
  const bool worth_remembering = result.outputs.empty();
  std::shared_ptr<const Bound::Impl> bound = worth_remembering ? state_->find(*prepared, ranges) : nullptr;
  if (!bound) {
    WGK_TRY(bound, runtime::bind_ranges(*prepared, ranges));
    if (worth_remembering) state_->remember(*prepared, ranges, bound);
  }
  result.dispatched = !bound->plan.steps().empty();
  WGK_CHECK(runtime::submit_bound(*bound, options.profile));
  return result;
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

void Kernel::clear_cache() const {
  std::list<State::Entry> forgotten;  // released outside the lock
  const std::lock_guard lock(state_->mutex);
  forgotten.swap(state_->entries);
}

}  // namespace wgk::inline v0
