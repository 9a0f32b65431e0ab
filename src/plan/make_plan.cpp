// The stages of planning, in the order of package-format section 1.
#include "plan/make_plan.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/storage.h"
#include "base/try.h"
#include "plan/attributes.h"
#include "plan/bind_request.h"
#include "plan/brief_text.h"
#include "plan/derive.h"
#include "plan/device_limits.h"
#include "plan/environment.h"
#include "plan/infer_outputs.h"
#include "plan/passes.h"
#include "plan/scratch.h"
#include "plan/select_variant.h"

namespace wgk::plan {
namespace {

using package::Direction;
using package::Manifest;
using package::Port;

StorageFormat storage_format(const Port& port, const BoundTensor& tensor) {
  return StorageFormat{tensor.logical, tensor.storage, port.packed && tensor.logical == DType::kUint8,
                       port.narrowing == Port::Narrowing::kSaturating};
}

/// Appends the bound tensors to the plan; the result maps ports to them.
Result<std::vector<std::optional<std::uint32_t>>> add_tensors(const Manifest& manifest, const BoundRequest& bound,
                                                              const DeviceProfile& profile, Plan& plan) {
  std::vector<std::optional<std::uint32_t>> tensor_of_port(manifest.ports.size());
  for (std::size_t i = 0; i < manifest.ports.size(); ++i) {
    const Port& port = manifest.ports[i];
    if (!bound.tensors[i]) continue;
    PlanTensor tensor;
    tensor.key = port.key;
    tensor.onnx_name = port.onnx_name;
    tensor.format = storage_format(port, *bound.tensors[i]);
    tensor.shape = bound.tensors[i]->shape;
    tensor.storage_bytes = base::storage_byte_length(tensor.format, bound.tensors[i]->elements);
    tensor.is_input = port.direction != Direction::kOutput;
    tensor.is_output = port.direction != Direction::kInput;
    WGK_CHECK(check_bytes(profile, "maxBufferSize", base::storage_buffer_size(tensor.storage_bytes),
                          [&] { return fmt::format("{}: tensor \"{}\"", manifest.op, port.key); }));
    tensor_of_port[i] = static_cast<std::uint32_t>(plan.tensors.size());
    plan.tensors.push_back(std::move(tensor));
  }
  return tensor_of_port;
}

bool every_output_is_empty(const Plan& plan) {
  bool any_output = false;
  for (const PlanTensor& tensor : plan.tensors) {
    if (!tensor.is_output) continue;
    any_output = true;
    if (std::find(tensor.shape.begin(), tensor.shape.end(), 0) == tensor.shape.end()) return false;
  }
  return any_output;
}

std::vector<PlanValue> printed_derives(const jinja::Scope& derives) {
  std::vector<PlanValue> printed;
  printed.reserve(derives.entries().size());
  for (const auto& [name, value] : derives.entries()) printed.push_back(PlanValue{name, brief_text(value)});
  return printed;
}

}  // namespace

Result<Plan> make_plan(const package::LoadedPackage& package, const PlanRequest& request, const DeviceProfile& profile,
                       const PlanOptions& options) {
  const Manifest& manifest = package.manifest;
  jinja::Budget budget;
  WGK_TRY(BoundRequest bound, bind_request(manifest, request));

  Environment environment(profile, manifest.legacy_functions);
  environment.set_namespace("attrs", bound.attributes);
  environment.set_namespace("args", bound.scalars);
  environment.set_namespace("tunables", merge_tunables(manifest.tunables, nullptr, request.tunables));
  environment.bind_tensors(manifest, bound);
  WGK_CHECK(infer_outputs(manifest, request, environment, bound, budget));
  environment.bind_tensors(manifest, bound);

  Plan plan;
  plan.op = manifest.op;
  WGK_TRY(const auto tensor_of_port, add_tensors(manifest, bound, profile, plan));
  plan.empty = every_output_is_empty(plan);

  WGK_CHECK(evaluate_derives(manifest.derives, manifest.op, environment, budget));
  WGK_TRY(Selection selection,
          select_variant(manifest, request.variant, profile, environment.derives(), budget, options.explain_all));
  const package::Variant& variant = *selection.variant;
  plan.variant = variant.id;
  plan.decisions = std::move(selection.decisions);

  environment.set_namespace("tunables", merge_tunables(manifest.tunables, &variant.tunables, request.tunables));
  WGK_CHECK(evaluate_derives(variant.derives, manifest.op, environment, budget));
  plan.derives = printed_derives(environment.derives());
  if (!plan.empty) {
    WGK_TRY(plan.scratch, evaluate_scratch(variant, manifest.op, environment.derives(), budget));
  }
  WGK_CHECK(make_passes(PassInputs{package, variant, profile, bound, tensor_of_port}, environment, budget, plan));
  if (!plan.empty) drop_unused_scratch(plan);
  return plan;
}

}  // namespace wgk::plan
