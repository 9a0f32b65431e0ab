// Uniform buffers: layout, WGSL struct and bytes (package-format sections 8 and 14).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/scope.h"
#include "jinja/value.h"
#include "package/model.h"

namespace wgk::plan {

/// Names of the u32 fields that pad a struct to a multiple of four fields.
std::vector<std::string> padding_fields(const std::vector<package::UniformField>& fields);

/// `struct Params { count: u32, _pad0: u32, … };`
std::string struct_declaration(const package::Binding& binding);

/// Bytes of the buffer: four per field, padding included, at least 16.
std::uint64_t uniform_size(const package::Binding& binding);

/// Evaluates the fields in pass scope and packs them. `scalars` is the `args` namespace. Error: kPackage.
Result<PlanUniform> pack_uniform(const package::Binding& binding, std::string_view op, const jinja::Value& scalars,
                                 const jinja::Scope& scope, jinja::Budget& budget);

/// The same buffer, all zero, with nothing evaluated: what a call without output elements gets.
PlanUniform zero_uniform(const package::Binding& binding);

}  // namespace wgk::plan
