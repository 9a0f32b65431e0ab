// The steps of reading a 2.1 manifest.
#pragma once

#include <set>
#include <string>

#include "package/model.h"
#include "package/parts.h"

namespace wgk::package::v2 {

/// inputs, outputs and args: ports in order (inputs and inouts, then outputs), and scalars.
Status read_call_side(const Node& root, Manifest& manifest);
/// attributes and attributeConstraints.
Status read_attributes(const Node& root, Manifest& manifest);
/// A derive map whose names must not shadow anything (package-format 4.1).
Result<std::vector<NamedFormula>> read_derives(const Node& map, const Manifest& manifest, std::string_view where);
/// Manifest-level when, requires and bindings, then variants.
Status read_variants(const Node& root, Manifest& manifest);

/// A binding entry as written, before a pass gives it a resource.
struct BindingEntry {
  std::string name;  ///< WGSL name
  std::string arg;
  std::string scratch;
  std::optional<BindingAccess> access;
  std::string element_type;  ///< empty: by default
  std::optional<std::variant<std::uint64_t, std::string>> length;
  bool is_uniform = false;
  std::string struct_name;
  std::vector<UniformField> fields;
  const Place* place = nullptr;
};
/// Reads an entry; `handle` is its key in `bindings`, empty for an inline entry.
Result<BindingEntry> read_binding_entry(const Node& node, std::string_view handle);
/// Finds the entry's resource and fills its defaults. `where` starts the error text, "WebGPU variant v pass p".
Result<Binding> resolve_entry(const BindingEntry& entry, const Manifest& manifest, const Variant& variant,
                              std::string_view where, const Node& node);

}  // namespace wgk::package::v2
