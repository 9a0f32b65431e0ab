// From a call without data to a plan: names, contract, and a variant that suits the offsets.
#include <deque>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "ops/operator.h"
#include "runtime/prepared_impl.h"
#include "runtime/tuned_plan.h"

namespace wgk::runtime {
namespace {

using package::Direction;
using package::Manifest;
using package::Port;

Error request_error(const std::string& op, std::string_view key, std::string_view reason) {
  return Error{ErrorCode::kRequest, fmt::format("{}: {}: {}", op, key, reason)};
}

template <typename Value>
using Named = std::map<std::string, Value, std::less<>>;

/// The same map under bind keys. Error: kRequest for a tensor that is named twice.
template <typename Value>
Result<Named<Value>> by_key(const Manifest& manifest, const Named<Value>& given) {
  Named<Value> result;
  for (const auto& [name, value] : given) {
    const std::string key(port_key(manifest, name));
    if (!result.emplace(key, value).second) {
      return request_error(manifest.op, key, "given twice, by its bind key and by its ONNX name");
    }
  }
  return result;
}

/// What the first misfit is; empty when every tensor may lie where the offsets say.
std::string misfit(const Plan& plan, const Offsets& offsets) {
  for (const PlanPass& pass : plan.passes) {
    if (pass.skipped()) continue;
    for (const PlanBinding& binding : pass.bindings) {
      if (binding.source != PlanBinding::Source::kTensor || binding.element_align == 0) continue;
      const std::string& key = plan.tensors[binding.index].key;
      const auto offset = offsets.find(key);
      if (offset == offsets.end() || offset->second % binding.element_align == 0) continue;
      return fmt::format("{}: {}: offset {} must be a multiple of {}, the size of {} that variant '{}' reads", plan.op,
                         key, offset->second, binding.element_align, binding.element_type, plan.variant);
    }
  }
  return {};
}

Status check_offsets(const Manifest& manifest, const Offsets& offsets, const DeviceProfile& profile) {
  const std::uint64_t alignment = profile.limit("minStorageBufferOffsetAlignment", 256);
  for (const auto& [key, offset] : offsets) {
    if (alignment == 0 || offset % alignment == 0) continue;
    return request_error(manifest.op, key,
                         fmt::format("offset {} must be a multiple of {}, the limit minStorageBufferOffsetAlignment of "
                                     "this device",
                                     offset, alignment));
  }
  return {};
}

/// The contract of the operator, where it is known, for tensors without data.
Status check_contract(const Device& device, const std::string& op_id, const PlanRequest& request) {
  const ops::Operator* op = ops::find_operator(op_id);
  if (op == nullptr) return {};
  std::deque<HostTensor> stubs;
  ops::OpCall call;
  for (const auto& [key, spec] : request.inputs) {
    stubs.push_back({spec.dtype, spec.shape, {}});
    call.inputs.emplace(key, &stubs.back());
  }
  for (const auto& [key, spec] : request.outputs) call.outputs.emplace(key, ops::GivenOutput{spec.dtype, spec.shape});
  call.attributes = request.attributes;
  call.check_values = false;
  call.host_data = false;
  return op->check(call, &device.profile());
}

}  // namespace

std::string_view port_key(const Manifest& manifest, std::string_view name) {
  const Port* by_onnx_name = nullptr;
  int matches = 0;
  for (const Port& port : manifest.ports) {
    if (port.key == name) return port.key;
    if (port.onnx_name == name) {
      by_onnx_name = &port;
      ++matches;
    }
  }
  return matches == 1 ? std::string_view(by_onnx_name->key) : name;
}

Result<Plan> plan_for_offsets(const Package& package, PlanRequest request, const DeviceProfile& profile,
                              const Offsets& offsets) {
  WGK_CHECK(check_offsets(package.impl()->manifest, offsets, profile));
  PlanOptions options;
  options.explain_all = !offsets.empty();
  WGK_TRY(Plan plan, package.plan(request, profile, options));
  const std::string first = misfit(plan, offsets);
  if (first.empty()) return plan;
  if (!request.variant.empty()) return Error{ErrorCode::kRequest, first};

  using Outcome = VariantDecision::Outcome;
  for (const Outcome wanted : {Outcome::kEligible, Outcome::kDemoted}) {
    for (const VariantDecision& decision : plan.decisions) {
      if (decision.outcome != wanted) continue;
      request.variant = decision.id;
      auto other = package.plan(request, profile, options);
      if (other.ok() && misfit(*other, offsets).empty()) return other;
    }
  }
  return Error{ErrorCode::kRequest, first + "; no variant of the package reads narrower elements"};
}

Result<Plan> plan_spec(const Device& device, const Package& package, const CallSpec& spec) {
  const Manifest& manifest = package.impl()->manifest;
  PlanRequest request;
  WGK_TRY(request.inputs, by_key(manifest, spec.inputs));
  WGK_TRY(request.outputs, by_key(manifest, spec.outputs));
  WGK_TRY(const Offsets offsets, by_key(manifest, spec.offsets));
  request.attributes = spec.attrs;
  request.args = spec.args;
  request.tunables = spec.tunables;
  request.variant = spec.variant;
  for (const std::string& name : spec.wanted_outputs) {
    request.wanted_outputs.emplace_back(port_key(manifest, name));
  }
  WGK_CHECK(check_contract(device, manifest.op, request));
  return plan_tuned(device, manifest.op, request, [&](const PlanRequest& wanted) {
    return plan_for_offsets(package, wanted, device.profile(), offsets);
  });
}

}  // namespace wgk::runtime
