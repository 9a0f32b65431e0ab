// Builds the namespaces from the bound tensors and the device.
#include "plan/environment.h"

#include <set>
#include <string>
#include <utility>

#include "plan/device_limits.h"
#include "plan/dtypes.h"
#include "plan/vocabulary.h"

namespace wgk::plan {
namespace {

using jinja::Value;

Value text(std::string_view value) { return Value::string(std::string(value)); }

/// A profile may come from a file that a person wrote; expressions compare with lower case.
Value lower_case_text(std::string_view value) {
  std::string lower(value);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return Value::string(std::move(lower));
}

constexpr std::size_t kNamespaces = 16;  ///< as many as a call has, or more

/// `has` and `size`, the only two members of a feature set.
Value feature_set(const std::set<std::string, std::less<>>& features) {
  const auto has = [&features](std::span<const Value> args, jinja::Budget&) -> Result<Value> {
    const bool found =
        !args.empty() && args[0].kind() == Value::Kind::kString && features.find(args[0].as_string()) != features.end();
    return Value::boolean(found);
  };
  jinja::Map members;
  members.emplace_back("has", Value::function("has", has));
  members.emplace_back("size", Value::number(static_cast<double>(features.size())));
  return Value::map(std::move(members));
}

Value limits(const DeviceProfile& profile) {
  jinja::Map members;
  members.reserve(profile.limits.size());
  for (const auto& [name, value] : profile.limits) {
    members.emplace_back(name, Value::number(static_cast<double>(*device_limit(profile, name))));
  }
  return Value::map(std::move(members));
}

Value matrix_configs(const std::vector<SubgroupMatrixConfig>& configs) {
  jinja::List list;
  for (const SubgroupMatrixConfig& config : configs) {
    jinja::Map members;
    members.emplace_back("componentType", text(config.component_type));
    members.emplace_back("resultComponentType", text(config.result_component_type));
    members.emplace_back("M", Value::number(config.m));
    members.emplace_back("N", Value::number(config.n));
    members.emplace_back("K", Value::number(config.k));
    list.push_back(Value::map(std::move(members)));
  }
  return Value::list(std::move(list));
}

Value adapter_info(const AdapterInfo& adapter) {
  jinja::Map members;
  members.emplace_back("vendor", lower_case_text(adapter.vendor));
  members.emplace_back("architecture", lower_case_text(adapter.architecture));
  if (adapter.subgroup_min_size) members.emplace_back("subgroupMinSize", Value::number(*adapter.subgroup_min_size));
  if (adapter.subgroup_max_size) members.emplace_back("subgroupMaxSize", Value::number(*adapter.subgroup_max_size));
  members.emplace_back("isFallbackAdapter", Value::boolean(adapter.is_fallback_adapter));
  if (adapter.subgroup_matrix_configs) {
    members.emplace_back("subgroupMatrixConfigs", matrix_configs(*adapter.subgroup_matrix_configs));
  }
  return Value::map(std::move(members));
}

Value device_namespace(const DeviceProfile& profile) {
  jinja::Map members;
  members.emplace_back("features", feature_set(profile.features));
  members.emplace_back("wgslLanguageFeatures", feature_set(profile.wgsl_language_features));
  members.emplace_back("limits", limits(profile));
  members.emplace_back("adapterInfo", adapter_info(profile.adapter));
  return Value::map(std::move(members));
}

Value shape_list(const Shape& shape) {
  jinja::List dims;
  dims.reserve(shape.size());
  for (const std::int64_t dim : shape) dims.push_back(Value::number(static_cast<double>(dim)));
  return Value::list(std::move(dims));
}

}  // namespace

Environment::Environment(const DeviceProfile& profile, bool legacy_functions)
    : functions_(make_vocabulary(profile, legacy_functions)),
      namespaces_(&functions_),
      derives_(&namespaces_),
      device_(device_namespace(profile)) {
  namespaces_.reserve(kNamespaces);
  namespaces_.set("device", device_);
  namespaces_.set("repeat", Value::map({}));
  namespaces_.set("derive", Value::map({}));
}

void Environment::bind_tensors(const package::Manifest& manifest, const BoundRequest& bound) {
  jinja::Map shapes, ranks, tensor_dtypes, dtypes, logical_dtypes, present;
  for (jinja::Map* map : {&shapes, &ranks, &tensor_dtypes}) map->reserve(manifest.ports.size());
  for (jinja::Map* map : {&dtypes, &logical_dtypes}) map->reserve(bound.dtypes.size());
  present.reserve(manifest.ports.size() + manifest.scalars.size());
  for (std::size_t i = 0; i < manifest.ports.size(); ++i) {
    const package::Port& port = manifest.ports[i];
    const auto& tensor = bound.tensors[i];
    present.emplace_back(port.key, Value::boolean(tensor.has_value()));
    if (!tensor) continue;
    const Value shape = shape_list(tensor->shape);
    const Value rank = Value::number(static_cast<double>(tensor->shape.size()));
    const Value dtype = text(dtype_name(tensor->storage));
    for (const std::string& name : port.scope_names) {
      shapes.emplace_back(name, shape);
      ranks.emplace_back(name, rank);
      tensor_dtypes.emplace_back(name, dtype);
    }
  }
  for (const package::ScalarArg& arg : manifest.scalars) present.emplace_back(arg.name, Value::boolean(false));
  for (const NamedDtype& dtype : bound.dtypes) {
    dtypes.emplace_back(dtype.name, text(wgsl_scalar(dtype.storage)));
    logical_dtypes.emplace_back(dtype.name, text(dtype_name(dtype.logical)));
  }
  namespaces_.set("shapes", Value::map(std::move(shapes)));
  namespaces_.set("ranks", Value::map(std::move(ranks)));
  namespaces_.set("tensorDtypes", Value::map(std::move(tensor_dtypes)));
  namespaces_.set("dtypes", Value::map(std::move(dtypes)));
  namespaces_.set("logicalDtypes", Value::map(std::move(logical_dtypes)));
  namespaces_.set("present", Value::map(std::move(present)));
}

Value as_namespace(const jinja::Scope& scope) { return Value::map(scope.entries()); }

}  // namespace wgk::plan
