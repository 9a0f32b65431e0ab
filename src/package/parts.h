// The pieces that both manifest dialects spell alike.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/limits.hpp>
#include <wgk/status.hpp>

#include "package/model.h"
#include "package/node.h"

namespace wgk::package {

/// "expression or JSON". A string that does not parse fails the load, or inside a variant becomes Formula::Broken.
Result<Formula> read_formula(const Node& node);
/// A list of clauses; the caller checks that it is not empty.
Result<std::vector<Formula>> read_clauses(const Node& list);
/// A map name -> formula, in order. `things` names it when it is too long.
Result<std::vector<NamedFormula>> read_named_formulas(const Node& map, std::string_view where, std::string_view things);
/// The expression of an output or intermediate shape.
Result<Formula> read_shape(const Node& node);

/// A number, string, bool, null or list of these.
Result<jinja::Value> read_attribute_value(const Node& node);
/// A finite number, string or bool.
Result<jinja::Value> read_tunable_value(const Node& node);
/// Bare tunables: map name -> value.
Result<std::vector<Tunable>> read_bare_tunables(const Node& map, std::string_view where);
/// attributeConstraints.<name>: sets `required` and `values` of `attribute`.
Status read_attribute_constraint(const Node& constraint, AttributeDecl& attribute);

Result<std::vector<std::pair<std::string, std::vector<DType>>>> read_type_constraints(const Node& map);
/// A logical dtype or the name of a type variable.
Result<std::string> read_port_dtype(const Node& node);
/// The logical dtypes that `dtype` admits; empty: any.
std::vector<DType> admitted_dtypes(const Manifest& manifest, const std::string& dtype);
Result<DType> read_storage_dtype(const Node& node, bool wgsl_spellings);
Result<Port::Narrowing> read_narrowing(const Node& node);
/// `rank` for people: "2" or the expression.
std::string rank_text(const Node& port);
Result<ScalarArg::Kind> read_scalar_kind(const Node& node);

/// requires: features, limits, subgroupMinSize, subgroupMatrixConfigs. `known_names_only`: only names of the WebGPU
/// specification are accepted.
Result<Requires> read_requires(const Node& node, std::string_view where, bool known_names_only);
/// The union of both: features, and the larger of limits and sizes. Matrix configurations may be on one side only.
Result<Requires> merge_requires(const Requires& outer, const Requires& inner, const Node& node);

/// `pinned`: 1.0's further forms, one pinned axis and gridStride.
Result<Dispatch> read_dispatch(const Node& node, std::string_view where, bool pinned);

/// Fields of a uniform struct. `internal` allows the key of that name.
Result<std::vector<UniformField>> read_struct_fields(const Node& list, std::string_view where,
                                                     std::span<const std::string_view> keys);
Result<std::string> read_wgsl_name(const Node& node);
Result<std::string> read_element_type(const Node& node);
Result<std::variant<std::uint64_t, std::string>> read_length(const Node& node);
Result<std::vector<std::pair<std::uint32_t, std::uint32_t>>> read_view_alias(const Node& list,
                                                                             const std::vector<Binding>& bindings,
                                                                             std::string_view where);
/// The list `intermediates`.
struct ScratchRules {
  bool closed_keys = false;     ///< unknown keys are errors
  bool wgsl_spellings = false;  ///< f32, f16, u32, i32 too
};
Result<std::vector<ScratchDecl>> read_intermediates(const Node& list, const Manifest& manifest,
                                                    std::string_view variant, const ScratchRules& rules);

/// Reads `passes`, repeat groups included; `read_pass(node, id)` reads one pass.
class StepReader {
 public:
  virtual ~StepReader() = default;
  Result<std::vector<Step>> read_steps(const Node& list, std::string_view variant);

 protected:
  virtual Result<Pass> read_pass(const Node& node, const std::string& id) = 0;
  /// Refuses unknown keys of a repeat group, or does nothing.
  virtual Status check_group_keys(const Node& group, std::string_view where) = 0;

 private:
  Result<std::vector<Step>> read_list(const Node& list, const std::string& prefix, std::vector<std::string>& outer);
  Result<RepeatGroup> read_group(const Node& node, const std::string& id, std::vector<std::string>& outer,
                                 const std::string& prefix);

  std::string variant_;
  std::set<std::string> ids_;
  std::uint64_t passes_ = 0;
};

/// Ids unique, priorities ranked, supersededBy resolved: what needs all variants. `superseded_by[i]` holds the list of
/// variant i as written, and `nodes[i]` its place.
Status link_variants(Manifest& manifest, const std::vector<std::vector<std::string>>& superseded_by,
                     const std::vector<Node>& nodes, std::string_view duplicate_text);
/// Fills Variant::templates from the passes.
void collect_templates(Variant& variant);

}  // namespace wgk::package
