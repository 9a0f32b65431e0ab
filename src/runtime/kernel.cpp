// Runs a call: contract, plan, storage conversion, device, and back.
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/kernel.hpp>

#include "base/out_of_memory.h"
#include "base/storage.h"
#include "base/try.h"
#include "cpu/operators.h"
#include "ops/operator.h"
#include "package/model.h"
#include "runtime/bound_call.h"
#include "runtime/device_impl.h"
#include "runtime/kernel_state.h"
#include "runtime/tuned_plan.h"

namespace wgk::inline v0 {
namespace {

using runtime::BoundCall;

/// Storage bytes of the plan's inputs, in the order of Plan::tensors. Points into the caller's tensors where nothing
/// has to be converted, so that large inputs are not copied.
class StorageInputs {
 public:
  static Result<StorageInputs> convert(const Plan& plan, const BoundCall& call, Check check) {
    StorageInputs inputs;
    inputs.converted_.reserve(plan.tensors.size());
    for (const PlanTensor& tensor : plan.tensors) {
      if (tensor.is_input) WGK_CHECK(inputs.add(tensor, call, check));
    }
    return inputs;
  }

  const std::vector<std::span<const std::byte>>& spans() const { return spans_; }

 private:
  Status add(const PlanTensor& tensor, const BoundCall& call, Check check) {
    const auto found = call.op_call.inputs.find(tensor.key);
    if (found == call.op_call.inputs.end()) {
      return Error{ErrorCode::kRequest, fmt::format("{}: required input is missing", tensor.key)};
    }
    const HostTensor& host = *found->second;
    const bool as_is = host.dtype == tensor.format.storage && !tensor.format.packed &&
                       dtype_size(host.dtype) == base::storage_element_size(tensor.format.storage);
    if (as_is) {
      spans_.emplace_back(host.data);
      return {};
    }
    const auto mode = check == Check::kFull ? base::NarrowingMode::kDeclared : base::NarrowingMode::kUnchecked;
    WGK_TRY(std::vector<std::byte> bytes, base::to_storage(host, tensor.format, tensor.key, mode));
    converted_.push_back(std::move(bytes));
    spans_.emplace_back(converted_.back());
    return {};
  }

  std::vector<std::vector<std::byte>> converted_;
  std::vector<std::span<const std::byte>> spans_;
};

/// Prefixes the operator id to a message of a layer that does not know it.
Error with_op(const std::string& op, Error error) {
  if (error.message.rfind(op, 0) != 0) error.message = fmt::format("{}: {}", op, error.message);
  return error;
}

bool dispatches(const Plan& plan) {
  if (plan.empty) return false;
  for (const PlanPass& pass : plan.passes) {
    if (!pass.skipped()) return true;
  }
  return false;
}

HostTensor empty_tensor(const PlanTensor& tensor) { return HostTensor{tensor.format.logical, tensor.shape, {}}; }

Result<RunResult> run_on_adapter(gpu::GpuDevice& gpu, const Plan& plan, const BoundCall& call, Check check) {
  auto inputs = StorageInputs::convert(plan, call, check);
  if (!inputs) return with_op(plan.op, std::move(inputs).error());
  RunResult result;
  result.variant = plan.variant;
  result.dispatched = dispatches(plan);
  std::vector<std::vector<std::byte>> storage;
  if (!plan.empty) {
    WGK_TRY(storage, gpu.run(plan, inputs->spans()));
  }
  std::size_t next = 0;
  for (const PlanTensor& tensor : plan.tensors) {
    if (!tensor.is_output) continue;
    if (plan.empty) {
      result.outputs.emplace_back(tensor.key, empty_tensor(tensor));
      continue;
    }
    auto host = base::from_storage(storage.at(next++), tensor.format, tensor.shape, tensor.key);
    if (!host) return with_op(plan.op, std::move(host).error());
    result.outputs.emplace_back(tensor.key, *std::move(host));
  }
  return result;
}

/// `result` keeps its memory where it fits. Operators that have no fast implementation run their reference.
Status run_on_cpu(const ops::Operator& op, const BoundCall& call, cpu::ThreadPool& threads, RunResult& result) {
  if (const cpu::Compute compute = cpu::find_compute(op.id)) {
    WGK_CHECK(compute(call.op_call, threads, result.outputs));
    result.variant = "cpu";
  } else {
    WGK_TRY(result.outputs, op.reference(call.op_call));
    result.variant = "reference";
  }
  result.dispatched = false;
  return {};
}

Error no_cpu_path(const std::string& op) {
  return Error{ErrorCode::kDevice,
               fmt::format("{}: there is no CPU implementation of this operator; it needs a WebGPU adapter "
                           "(a GPU, or a software one such as lavapipe)",
                           op)};
}

Error no_variants_on_cpu(const std::string& op, const std::string& variant) {
  return Error{ErrorCode::kRequest, fmt::format("{}: variant \"{}\" runs on an adapter only; the CPU "
                                                "implementation has no variants",
                                                op, variant)};
}

Error no_output(std::string_view key) {
  return Error{ErrorCode::kUsage, fmt::format("the call has no output \"{}\"", key)};
}

/// Device rules concern adapters only; the CPU path has no limits but memory.
const DeviceProfile* profile_for_checks(const Device& device) {
  return device.kind() == DeviceKind::kCpu ? nullptr : &device.profile();
}

Status check_contract(const ops::Operator* op, const BoundCall& call, const Device& device) {
  return op == nullptr ? Status() : op->check(call.op_call, profile_for_checks(device));
}

}  // namespace

const HostTensor& RunResult::operator[](std::string_view key) const& {
  for (const auto& [name, tensor] : outputs) {
    if (name == key) return tensor;
  }
  throw Exception(no_output(key));
}

HostTensor RunResult::operator[](std::string_view key) && {
  for (auto& [name, tensor] : outputs) {
    if (name == key) return std::move(tensor);
  }
  throw Exception(no_output(key));
}

Kernel::Kernel(Device device, Package package)
    : device_(std::move(device)), package_(std::move(package)), state_(std::make_shared<State>()) {}

Result<RunResult> Kernel::run(const TensorMap& inputs, const RunOptions& options) const {
  RunResult result;
  WGK_CHECK(run_into(inputs, result, options));
  return result;
}

Status Kernel::run_into(const TensorMap& inputs, RunResult& result, const RunOptions& options) const try {
  WGK_TRY(const BoundCall call, runtime::bind_call(package_, inputs, options));
  const ops::Operator* op = ops::find_operator(package_.op());
  const bool on_cpu = device_.kind() == DeviceKind::kCpu;
  if (on_cpu && op == nullptr) return no_cpu_path(package_.op());
  if (on_cpu && !options.variant.empty()) return no_variants_on_cpu(package_.op(), options.variant);
  WGK_CHECK(check_contract(op, call, device_));
  if (on_cpu) return run_on_cpu(*op, call, *device_.impl()->threads, result);
  WGK_TRY(const std::shared_ptr<const Plan> plan,
          runtime::plan_tuned(device_, package_.op(), call.plan_request, [&](const PlanRequest& request) {
            return state_->plans.plan(package_.impl(), request, device_.profile(), {.explain_all = false});
          }));
  WGK_TRY(result, run_on_adapter(*device_.impl()->gpu, *plan, call, options.check));
  return {};
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

Status Kernel::check(const TensorMap& inputs, const RunOptions& options) const try {
  WGK_TRY(const BoundCall call, runtime::bind_call(package_, inputs, options));
  return check_contract(ops::find_operator(package_.op()), call, device_);
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

bool Kernel::knows_operator() const { return ops::find_operator(package_.op()) != nullptr; }

Result<Plan> Kernel::plan(const TensorMap& inputs, const RunOptions& options) const try {
  WGK_TRY(const BoundCall call, runtime::bind_call(package_, inputs, options));
  return runtime::plan_tuned(device_, package_.op(), call.plan_request,
                             [&](const PlanRequest& request) { return package_.plan(request, device_.profile()); });
}
WGK_CATCH_OUT_OF_MEMORY(ErrorCode::kRequest)

}  // namespace wgk::inline v0
