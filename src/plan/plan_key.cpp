// Every text and list is preceded by its length and every optional part by a tag, so that no two keys run into each
// other: {"ab", "c"} and {"a", "bc"} differ.
#include "plan/plan_key.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <variant>

namespace wgk::plan {
namespace {

class KeyWriter {
 public:
  KeyWriter() { bytes_.reserve(2048); }

  std::string take() { return std::move(bytes_); }

  void number(std::uint64_t value) {
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes_.append(raw, sizeof(raw));
  }

  void tag(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }

  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }

  void optional(const std::optional<std::uint32_t>& value) {
    tag(value.has_value() ? 1 : 0);
    if (value) number(*value);
  }

  /// Numbers by their bits: 0 and -0 differ, a NaN equals itself. Lists nest only as deep as the caller's value does.
  void value(const AttributeValue& given) {
    const AttributeValue::Variant& data = given.get();
    tag(static_cast<std::uint8_t>(data.index()));
    if (const auto* flag = std::get_if<bool>(&data)) {
      tag(*flag ? 1 : 0);
    } else if (const auto* integer = std::get_if<std::int64_t>(&data)) {
      number(static_cast<std::uint64_t>(*integer));
    } else if (const auto* real = std::get_if<double>(&data)) {
      number(std::bit_cast<std::uint64_t>(*real));
    } else if (const auto* string = std::get_if<std::string>(&data)) {
      text(*string);
    } else {
      const auto& list = std::get<AttributeValue::List>(data);
      number(list.size());
      for (const AttributeValue& item : list) value(item);
    }
  }

  void values(const Attributes& given) {
    number(given.size());
    for (const auto& [name, one] : given) {
      text(name);
      value(one);
    }
  }

  void tensors(const std::map<std::string, TensorSpec, std::less<>>& specs) {
    number(specs.size());
    for (const auto& [key, spec] : specs) {
      text(key);
      tag(static_cast<std::uint8_t>(spec.dtype));
      number(spec.shape.size());
      for (const std::int64_t dim : spec.shape) number(static_cast<std::uint64_t>(dim));
    }
  }

  template <typename Names>
  void names(const Names& all) {
    number(all.size());
    for (const std::string& name : all) text(name);
  }

  void request(const PlanRequest& request) {
    tensors(request.inputs);
    tensors(request.outputs);
    values(request.attributes);
    values(request.args);
    values(request.tunables);
    text(request.variant);
    names(request.wanted_outputs);
  }

  void adapter(const AdapterInfo& adapter) {
    for (const std::string* one :
         {&adapter.vendor, &adapter.architecture, &adapter.device, &adapter.description, &adapter.backend}) {
      text(*one);
    }
    optional(adapter.subgroup_min_size);
    optional(adapter.subgroup_max_size);
    tag(adapter.is_fallback_adapter ? 1 : 0);
    tag(adapter.subgroup_matrix_configs.has_value() ? 1 : 0);
    if (!adapter.subgroup_matrix_configs) return;
    number(adapter.subgroup_matrix_configs->size());
    for (const SubgroupMatrixConfig& config : *adapter.subgroup_matrix_configs) {
      text(config.component_type);
      text(config.result_component_type);
      for (const std::uint32_t size : {config.m, config.n, config.k}) number(size);
    }
  }

  void profile(const DeviceProfile& profile) {
    adapter(profile.adapter);
    names(profile.features);
    names(profile.wgsl_language_features);
    number(profile.limits.size());
    for (const auto& [name, limit] : profile.limits) {
      text(name);
      number(limit);
    }
  }

 private:
  std::string bytes_;
};

}  // namespace

std::string plan_key(const package::LoadedPackage& package, const PlanRequest& request, const DeviceProfile& profile,
                     const PlanOptions& options) {
  KeyWriter key;
  key.number(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&package)));
  key.tag(options.explain_all ? 1 : 0);
  key.request(request);
  key.profile(profile);
  return key.take();
}

}  // namespace wgk::plan
