// `$NAME` references are looked up in pass values; the declarations follow the bindings' order.
#include "plan/resources.h"

#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/checked.h"
#include "base/try.h"
#include "plan/brief_text.h"
#include "plan/uniforms.h"

namespace wgk::plan {
namespace {

using jinja::Value;
using package::Binding;

Error binding_error(std::string message) { return Error{ErrorCode::kPackage, std::move(message)}; }

const Value* own_name(const jinja::Scope& scope, std::string_view name) {
  for (const auto& [known, value] : scope.entries()) {
    if (known == name) return &value;
  }
  return nullptr;
}

Result<Value> referenced(const Binding& binding, std::string_view name, std::string_view key,
                         const PassValues& values) {
  const Value* value = values.find(name);
  if (value == nullptr || value->is_undefined() || value->is_none()) {
    return binding_error(fmt::format("Missing template value {} for binding {} {}", name, binding.name, key));
  }
  return *value;
}

Result<std::string> resolve_element_type(const Binding& binding, const PassValues& values) {
  if (binding.element_type.empty() || binding.element_type.front() != '$') return binding.element_type;
  const std::string_view name = std::string_view(binding.element_type).substr(1);
  WGK_TRY(const Value value, referenced(binding, name, "elementType", values));
  if (value.kind() == Value::Kind::kString) return value.as_string();
  return binding_error(
      fmt::format("binding {} elementType must resolve to a string, got {}", binding.name, brief_text(value)));
}

Result<std::uint64_t> resolve_length(const Binding& binding, const PassValues& values) {
  constexpr auto kMaxLength = static_cast<double>(limits::kMaxElements);
  if (!binding.length) return std::uint64_t{0};
  Value value;
  if (const auto* literal = std::get_if<std::uint64_t>(&*binding.length)) {
    value = Value::number(static_cast<double>(*literal));
  } else {
    WGK_TRY(value, referenced(binding, std::get<std::string>(*binding.length), "length", values));
  }
  const bool valid = value.is_number() && value.as_number() >= 1 && value.as_number() <= kMaxLength &&
                     std::floor(value.as_number()) == value.as_number();
  if (valid) return static_cast<std::uint64_t>(value.as_number());
  return binding_error(
      fmt::format("binding {} length must resolve to a positive integer, got {}", binding.name, brief_text(value)));
}

Status append_struct(const Binding& binding, std::unordered_map<std::string_view, std::string>& structs,
                     std::vector<std::string>& lines) {
  std::string line = struct_declaration(binding);
  const auto [known, is_new] = structs.emplace(binding.struct_name, line);
  if (is_new) {
    lines.push_back(std::move(line));
  } else if (known->second != line) {
    return binding_error(fmt::format("uniform struct {} is declared with conflicting schemas", binding.struct_name));
  }
  return {};
}

std::string variable_declaration(const Binding& binding, const ResolvedBinding& resolved, std::size_t index) {
  const std::string place = fmt::format("@group(0) @binding({})", index);
  if (binding.access == BindingAccess::kUniform) {
    return fmt::format("{} var<uniform> {}: {};", place, binding.name, binding.struct_name);
  }
  const std::string_view mode = binding.access == BindingAccess::kReadOnlyStorage ? "read" : "read_write";
  const std::string length = resolved.fixed_length == 0 ? "" : fmt::format(", {}u", resolved.fixed_length);
  return fmt::format("{} var<storage, {}> {}: array<{}{}>;", place, mode, binding.name, resolved.element_type, length);
}

std::optional<std::uint64_t> scalar_size(std::string_view type) {
  if (type == "f32" || type == "u32" || type == "i32") return 4;
  if (type == "f16") return 2;
  return std::nullopt;
}

/// "atomic<u32>" with "atomic<" -> "u32"; empty when the text has another form.
std::string_view inside(std::string_view type, std::string_view opening) {
  const bool fits = type.size() > opening.size() + 1 && type.substr(0, opening.size()) == opening && type.back() == '>';
  return fits ? type.substr(opening.size(), type.size() - opening.size() - 1) : std::string_view();
}

}  // namespace

const Value* PassValues::find(std::string_view name) const {
  for (const jinja::Scope* scope : {&values, &dtypes, &derives}) {
    if (const Value* value = own_name(*scope, name)) return value;
  }
  return nullptr;
}

Result<ResolvedBinding> resolve_binding(const Binding& binding, const PassValues& values) {
  ResolvedBinding resolved;
  if (binding.access == BindingAccess::kUniform) return resolved;
  WGK_TRY(resolved.element_type, resolve_element_type(binding, values));
  WGK_TRY(resolved.fixed_length, resolve_length(binding, values));
  return resolved;
}

Result<std::string> resource_declarations(const std::vector<Binding>& bindings,
                                          const std::vector<ResolvedBinding>& resolved) {
  std::vector<std::string> lines;
  std::unordered_map<std::string_view, std::string> structs;
  for (const Binding& binding : bindings) {
    if (binding.access == BindingAccess::kUniform) WGK_CHECK(append_struct(binding, structs, lines));
  }
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    lines.push_back(variable_declaration(bindings[i], resolved[i], i));
  }
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

std::optional<std::uint64_t> element_stride(std::string_view element_type) {
  if (const auto size = scalar_size(element_type)) return size;
  if (const std::string_view scalar = inside(element_type, "atomic<"); scalar == "u32" || scalar == "i32") return 4;
  for (const auto& [opening, count] :
       {std::pair<std::string_view, std::uint64_t>("vec2<", 2), std::pair<std::string_view, std::uint64_t>("vec3<", 4),
        std::pair<std::string_view, std::uint64_t>("vec4<", 4)}) {
    const auto size = scalar_size(inside(element_type, opening));
    if (size) return *size * count;
  }
  return std::nullopt;
}

Status check_fixed_length(const Binding& binding, const ResolvedBinding& resolved, std::uint64_t bytes) {
  if (resolved.fixed_length == 0) return {};
  const auto stride = element_stride(resolved.element_type);
  if (!stride) {
    return binding_error(fmt::format("binding {}: the size of element type {} is unknown, so it cannot have a length",
                                     binding.name, resolved.element_type));
  }
  const auto required = base::checked_mul(resolved.fixed_length, *stride);
  if (required && *required <= bytes) return {};
  return Error{ErrorCode::kRequest,
               fmt::format("binding {}: bound tensor provides {} bytes but the declared fixed length requires {}",
                           binding.name, bytes, required.value_or(~std::uint64_t{0}))};
}

}  // namespace wgk::plan
