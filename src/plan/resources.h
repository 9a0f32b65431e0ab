// Bindings of a pass: element types, fixed lengths and their WGSL declarations (package-format section 8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/status.hpp>

#include "jinja/scope.h"
#include "package/model.h"

namespace wgk::plan {

/// What `$NAME` in elementType and length refers to, searched in this order. Each table's own names count, not those of
/// its outer scopes: a namespace or function is no pass value.
struct PassValues {
  const jinja::Scope& values;  ///< constants or pass derives
  const jinja::Scope& dtypes;  ///< type variables
  const jinja::Scope& derives;

  const jinja::Value* find(std::string_view name) const;
};

/// A binding with `$NAME` looked up. For uniforms both members keep their defaults.
struct ResolvedBinding {
  std::string element_type;
  std::uint64_t fixed_length = 0;  ///< 0: runtime-sized
};

/// Error: kPackage.
Result<ResolvedBinding> resolve_binding(const package::Binding& binding, const PassValues& values);

/// Text of env.wgsl.resourceDeclarations; `resolved` runs parallel to `bindings`. Error: kPackage.
Result<std::string> resource_declarations(const std::vector<package::Binding>& bindings,
                                          const std::vector<ResolvedBinding>& resolved);

/// Array stride of a WGSL element type; nullopt for one that is not a scalar, atomic or vector.
std::optional<std::uint64_t> element_stride(std::string_view element_type);

/// An error when the bound tensor is shorter than the declared fixed length. `bytes` is its byteLength.
Status check_fixed_length(const package::Binding& binding, const ResolvedBinding& resolved, std::uint64_t bytes);

}  // namespace wgk::plan
