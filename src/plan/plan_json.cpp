// Plan -> JSON. Members appear always and in this order, so that two plans can be compared as text.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <wgk/plan.hpp>

#include "base/js_number.h"

namespace wgk::inline v0 {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers that JSON lacks become the strings "NaN", "Infinity", "-Infinity"; integers print without a point.
Json number_json(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (!std::isfinite(value)) return base::js_number(value);
  if (std::floor(value) == value && std::abs(value) <= kExact) return static_cast<std::int64_t>(value);
  return value;
}

const char* access_name(BindingAccess access) {
  switch (access) {
    case BindingAccess::kReadOnlyStorage:
      return "read-only-storage";
    case BindingAccess::kStorage:
      return "storage";
    case BindingAccess::kUniform:
      return "uniform";
  }
  return "";
}

const char* outcome_name(VariantDecision::Outcome outcome) {
  switch (outcome) {
    case VariantDecision::Outcome::kSelected:
      return "selected";
    case VariantDecision::Outcome::kEligible:
      return "eligible";
    case VariantDecision::Outcome::kDemoted:
      return "demoted";
    case VariantDecision::Outcome::kRejected:
      return "rejected";
    case VariantDecision::Outcome::kNotTried:
      return "not tried";
  }
  return "";
}

Json tensor_json(const PlanTensor& tensor) {
  Json json;
  json["key"] = tensor.key;
  json["onnxName"] = tensor.onnx_name;
  json["dtype"] = dtype_name(tensor.format.logical);
  json["storage"] = dtype_name(tensor.format.storage);
  json["packed"] = tensor.format.packed;
  json["saturating"] = tensor.format.saturating;
  json["shape"] = tensor.shape;
  json["storageBytes"] = tensor.storage_bytes;
  json["input"] = tensor.is_input;
  json["output"] = tensor.is_output;
  return json;
}

Json scratch_json(const PlanScratch& scratch) {
  Json json;
  json["id"] = scratch.id;
  json["storage"] = dtype_name(scratch.storage);
  json["shape"] = scratch.shape;
  json["storageBytes"] = scratch.storage_bytes;
  json["zeroInit"] = scratch.zero_init;
  return json;
}

/// "20000000 04000000": groups of four bytes, as they lie in memory.
std::string hex_words(const std::vector<std::byte>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0 && i % 4 == 0) text += ' ';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(bytes[i]));
  }
  return text;
}

Json uniform_json(const PlanUniform& uniform) {
  Json fields = Json::array();
  for (const PlanUniform::Field& field : uniform.fields) {
    Json json;
    json["name"] = field.name;
    json["type"] = field.type;
    json["value"] = number_json(field.value);
    fields.push_back(std::move(json));
  }
  Json json;
  json["struct"] = uniform.struct_name;
  json["fields"] = std::move(fields);
  json["bytes"] = hex_words(uniform.bytes);
  return json;
}

/// What a binding refers to: {"tensor": "x"}, {"scratch": "id"} or {"uniform": 0}; null for scratch not allocated.
Json resource_json(const Plan& plan, const PlanBinding& binding) {
  Json json = Json::object();
  const std::size_t index = binding.index;
  switch (binding.source) {
    case PlanBinding::Source::kTensor:
      json["tensor"] = index < plan.tensors.size() ? Json(plan.tensors[index].key) : Json();
      break;
    case PlanBinding::Source::kScratch:
      json["scratch"] = index < plan.scratch.size() ? Json(plan.scratch[index].id) : Json();
      break;
    case PlanBinding::Source::kUniform:
      json["uniform"] = index;
      break;
  }
  return json;
}

Json binding_json(const Plan& plan, const PlanBinding& binding) {
  Json json;
  json["name"] = binding.name;
  json["access"] = access_name(binding.access);
  json["resource"] = resource_json(plan, binding);
  json["sizeBytes"] = binding.size_bytes;
  if (binding.source != PlanBinding::Source::kUniform) {
    json["elementType"] = binding.element_type;
    json["elementAlign"] = binding.element_align;
    if (binding.fixed_length != 0) json["length"] = binding.fixed_length;
  }
  return json;
}

Json pass_json(const Plan& plan, const PlanPass& pass, bool with_wgsl) {
  Json bindings = Json::array();
  for (const PlanBinding& binding : pass.bindings) bindings.push_back(binding_json(plan, binding));
  Json aliases = Json::array();
  for (const auto& [input, output] : pass.view_alias) aliases.push_back(Json::array({input, output}));
  Json json;
  json["id"] = pass.id;
  json["label"] = pass.label;
  json["shader"] = pass.shader;
  json["entryPoint"] = pass.entry_point;
  json["workgroups"] = pass.workgroups;
  json["skipped"] = pass.skipped();
  json["submitAfter"] = pass.submit_after;
  json["viewAlias"] = std::move(aliases);
  json["bindings"] = std::move(bindings);
  if (with_wgsl) json["wgsl"] = pass.wgsl;
  return json;
}

Json decision_json(const VariantDecision& decision) {
  Json json;
  json["id"] = decision.id;
  json["priority"] = number_json(decision.priority);
  json["outcome"] = outcome_name(decision.outcome);
  if (!decision.reason.empty()) json["reason"] = decision.reason;
  return json;
}

template <typename Items, typename ToJson>
Json list_json(const Items& items, const ToJson& to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

std::string Plan::to_json(bool with_wgsl) const {
  Json derived = Json::object();
  for (const PlanValue& value : derives) derived[value.name] = value.value;
  Json json;
  json["op"] = op;
  json["variant"] = variant;
  json["empty"] = empty;
  json["decisions"] = list_json(decisions, decision_json);
  json["derives"] = std::move(derived);
  json["tensors"] = list_json(tensors, tensor_json);
  json["scratch"] = list_json(scratch, scratch_json);
  json["uniforms"] = list_json(uniforms, uniform_json);
  json["passes"] = list_json(passes, [&](const PlanPass& pass) { return pass_json(*this, pass, with_wgsl); });
  // Names and texts come from strangers: bytes that are not UTF-8 are replaced rather than thrown at the caller.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wgk::inline v0
