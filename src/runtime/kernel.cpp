// Runs a call: contract, plan, storage conversion, device, and back.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/kernel.hpp>

#include "base/storage.h"
#include "base/try.h"
#include "ops/operator.h"
#include "package/model.h"
#include "runtime/bound_call.h"
#include "runtime/device_impl.h"
#include "runtime/kernel_state.h"

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

Result<RunResult> run_reference(const ops::Operator& op, const BoundCall& call) {
  WGK_TRY(ops::OpOutputs outputs, op.reference(call.op_call));
  RunResult result;
  result.outputs = std::move(outputs);
  result.variant = "reference";
  return result;
}

Error no_cpu_path(const std::string& op) {
  return Error{ErrorCode::kDevice,
               fmt::format("{}: there is no CPU reference implementation of this operator; it needs a WebGPU adapter "
                           "(a GPU, or a software one such as lavapipe)",
                           op)};
}

Error no_variants_on_cpu(const std::string& op, const std::string& variant) {
  return Error{ErrorCode::kRequest, fmt::format("{}: variant \"{}\" runs on an adapter only; the CPU reference "
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
  WGK_TRY(const BoundCall call, runtime::bind_call(package_, inputs, options));
  const ops::Operator* op = ops::find_operator(package_.op());
  const bool on_cpu = device_.kind() == DeviceKind::kCpu;
  if (on_cpu && op == nullptr) return no_cpu_path(package_.op());
  if (on_cpu && !options.variant.empty()) return no_variants_on_cpu(package_.op(), options.variant);
  WGK_CHECK(check_contract(op, call, device_));
  if (on_cpu) return run_reference(*op, call);
  WGK_TRY(const std::shared_ptr<const Plan> plan,
          state_->plans.plan(package_.impl(), call.plan_request, device_.profile(), {.explain_all = false}));
  return run_on_adapter(*device_.impl()->gpu, *plan, call, options.check);
}

Status Kernel::check(const TensorMap& inputs, const RunOptions& options) const {
  WGK_TRY(const BoundCall call, runtime::bind_call(package_, inputs, options));
  return check_contract(ops::find_operator(package_.op()), call, device_);
}

Result<Plan> Kernel::plan(const TensorMap& inputs, const RunOptions& options) const {
  WGK_TRY(const BoundCall call, runtime::bind_call(package_, inputs, options));
  return package_.plan(call.plan_request, device_.profile());
}

}  // namespace wgk::inline v0
