// Dialect 2.1: reusable bindings, variants and passes.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/v2/families.h"
#include "package/v2/sections.h"

namespace wgk::package::v2 {
namespace {

constexpr auto kVariantKeys =
    std::to_array<std::string_view>({"id", "description", "priority", "when", "demoteWhen", "supersededBy", "requires",
                                     "tunables", "derive", "intermediates", "passes"});
constexpr auto kPassKeys =
    std::to_array<std::string_view>({"id", "name", "shader", "derive", "bindings", "dispatch", "submitAfter",
                                     "viewAlias", "profile", "subgroupCollectivesWidth"});

bool is_collectives_width(const Tree& tree) {
  if (tree.is_string()) return tree.is("portable");
  if (!tree.is_number()) return false;
  const double width = tree.as_number();
  return width == 4 || width == 8 || width == 16 || width == 32 || width == 64 || width == 128;
}

class VariantReader : StepReader {
 public:
  VariantReader(const Node& root, Manifest& manifest) : root_(root), manifest_(manifest) {}

  Status read_all() {
    if (!root_.has("variants") || !root_.at("variants").tree().is_list() || root_.at("variants").tree().empty()) {
      return root_.fail(fmt::format("WebGPU manifest {} requires a non-empty variants list", op()));
    }
    WGK_CHECK(read_shared());
    WGK_TRY(const std::vector<Node> expanded, expand_families(root_.at("variants")));
    std::vector<std::vector<std::string>> superseded_by;
    for (std::size_t index = 0; index < expanded.size(); ++index) {
      std::vector<std::string> superseding;
      WGK_CHECK(read_variant(expanded[index], index, superseding));
      superseded_by.push_back(std::move(superseding));
    }
    return link_variants(manifest_, superseded_by, expanded, "expanded ");
  }

 private:
  const std::string& op() const { return root_.context().op; }

  Status read_shared() {
    if (root_.has("when")) {
      WGK_CHECK(check_when(root_.at("when"), "WebGPU manifest " + op()));
      WGK_TRY(when_, read_clauses(root_.at("when")));
    }
    if (root_.has("requires")) {
      WGK_TRY(requires_, read_requires(root_.at("requires"), "WebGPU manifest " + op(), true));
    }
    if (!root_.has("bindings")) return {};
    const Node map = root_.at("bindings");
    WGK_CHECK(map.require_object());
    return for_each_member(map, [&](std::string_view handle, const Node& node) -> Status {
      WGK_TRY(BindingEntry entry, read_binding_entry(node, handle));
      WGK_CHECK(check_shared_scratch(entry, node));
      entries_.emplace(handle, std::move(entry));
      return {};
    });
  }

  /// No variant is known here, so an entry for an intermediate must say what it cannot take from one.
  Status check_shared_scratch(const BindingEntry& entry, const Node& node) const {
    if (entry.is_uniform) return {};
    const std::string& tensor = entry.arg.empty() ? entry.name : entry.arg;
    const bool is_tensor = std::any_of(manifest_.ports.begin(), manifest_.ports.end(),
                                       [&](const Port& port) { return port.key == tensor; });
    if (entry.scratch.empty() && is_tensor) return {};
    if (entry.access && !entry.element_type.empty()) return {};
    return node.fail_here("names no tensor; an entry for an intermediate must have buffer and elementType");
  }

  Status check_when(const Node& node, std::string_view where) const {
    if (node.tree().is_list() && !node.tree().empty()) return {};
    return node.fail(fmt::format("{} when[] must be a non-empty list of predicates", where));
  }

  Status read_variant(const Node& node, std::size_t index, std::vector<std::string>& superseding) {
    Variant variant;
    variant.id = fmt::format("variant_{}", index);
    if (node.has("id")) {
      WGK_TRY(variant.id, node.at("id").string());
    }
    if (!is_variant_id(variant.id)) {
      return node.at("id").fail_here(fmt::format("is \"{}\", which is not a variant id", printable(variant.id)));
    }
    const std::string where = fmt::format("WebGPU manifest {} variant {}", op(), variant.id);
    WGK_CHECK(node.known_keys(where, kVariantKeys));
    node.context().unusable = &variant.unusable;
    Status status = read_body(node, where, variant, superseding);
    node.context().unusable = nullptr;
    WGK_CHECK(std::move(status));
    collect_templates(variant);
    manifest_.variants.push_back(std::move(variant));
    return {};
  }

  Status read_body(const Node& node, const std::string& where, Variant& variant,
                   std::vector<std::string>& superseding) {
    variant_ = &variant;
    WGK_TRY(variant.description, node.string_or("description", ""));
    if (node.has("priority")) {
      WGK_TRY(variant.priority, node.at("priority").number());
    }
    WGK_CHECK(read_guards(node, variant, superseding));
    variant.requires_ = requires_;
    if (node.has("requires")) {
      WGK_TRY(const Requires own, read_requires(node.at("requires"), where, true));
      WGK_TRY(variant.requires_, merge_requires(requires_, own, node.at("requires")));
    }
    if (node.has("tunables")) {
      WGK_TRY(variant.tunables, read_bare_tunables(node.at("tunables"), where));
    }
    if (node.has("derive")) {
      WGK_TRY(variant.derives, read_derives(node.at("derive"), manifest_, where));
    }
    if (node.has("intermediates")) {
      WGK_TRY(variant.scratch, read_intermediates(node.at("intermediates"), manifest_, variant.id, {}));
    }
    if (!node.has("passes")) return node.fail(fmt::format("WebGPU variant {} requires passes", variant.id));
    WGK_TRY(variant.steps, read_steps(node.at("passes"), variant.id));
    return {};
  }

  Status read_guards(const Node& node, Variant& variant, std::vector<std::string>& superseding) {
    WGK_CHECK(node.charge(when_.size()));
    variant.when = when_;
    if (node.has("when")) {
      WGK_CHECK(check_when(node.at("when"), "WebGPU variant " + variant.id));
      WGK_TRY(std::vector<Formula> own, read_clauses(node.at("when")));
      for (Formula& clause : own) variant.when.push_back(std::move(clause));
    }
    if (node.has("demoteWhen")) {
      WGK_CHECK(node.at("demoteWhen").require_non_empty_array());
      WGK_TRY(variant.demote_when, read_clauses(node.at("demoteWhen")));
    }
    if (node.has("supersededBy")) {
      WGK_CHECK(node.at("supersededBy").require_non_empty_array());
      WGK_TRY(superseding, node.at("supersededBy").string_list());
    }
    return {};
  }

  /// An entry of a pass: a handle, the name of a tensor or an intermediate, or an inline object.
  Result<Binding> read_binding(const Node& node, std::string_view where) {
    if (node.tree().is_map()) {
      WGK_TRY(const BindingEntry entry, read_binding_entry(node, ""));
      return resolve_entry(entry, manifest_, *variant_, where, node);
    }
    WGK_TRY(const std::string name, node.string());
    if (const auto shared = entries_.find(name); shared != entries_.end()) {
      WGK_CHECK(node.charge(1 + shared->second.fields.size()));
      return resolve_entry(shared->second, manifest_, *variant_, where, node);
    }
    BindingEntry entry;
    entry.place = node.place();
    entry.name = name;
    const auto is_port = [&](const Port& port) { return port.key == name; };
    // A tensor comes before an intermediate of that name; ids may not equal tensor names, so resolving cannot differ.
    if (!std::any_of(manifest_.ports.begin(), manifest_.ports.end(), is_port)) entry.scratch = name;
    auto binding = resolve_entry(entry, manifest_, *variant_, where, node);
    if (binding.ok() && !is_wgsl_identifier(name)) return read_wgsl_name(node).error();
    return binding;
  }

  Result<std::vector<Binding>> read_bindings(const Node& pass, const std::string& id) {
    if (!pass.has("bindings") || !pass.at("bindings").tree().is_list() || pass.at("bindings").tree().empty()) {
      return pass.fail(fmt::format("WebGPU pass {} requires bindings", id));
    }
    const Node list = pass.at("bindings");
    const std::string where = fmt::format("WebGPU variant {} pass {}", variant_->id, id);
    WGK_CHECK(list.limit(where, "bindings", list.size(), limits::kMaxBindings));
    std::vector<Binding> bindings;
    std::set<std::string> names;
    for (std::size_t index = 0; index < list.size(); ++index) {
      const Node node = list.at(index);
      WGK_TRY(Binding binding, read_binding(node, where));
      if (!names.insert(binding.name).second) {
        return node.fail(fmt::format("WebGPU pass {} binds the WGSL name \"{}\" twice", id, binding.name));
      }
      bindings.push_back(std::move(binding));
    }
    return bindings;
  }

  Result<Pass> read_pass(const Node& node, const std::string& id) override {
    const std::string where = fmt::format("WebGPU manifest {} variant {} pass {}", op(), variant_->id, printable(id));
    WGK_CHECK(node.known_keys(where, kPassKeys));
    Pass pass;
    pass.id = id;
    pass.values_see_earlier = true;
    WGK_TRY(pass.label, node.string_or("name", fmt::format("{}.{}.{}", manifest_.op, variant_->id, id)));
    if (!node.has("shader")) return node.fail(fmt::format("WebGPU pass {} requires shader or source", id));
    WGK_TRY(pass.shader, node.at("shader").string());
    if (!is_template_path(pass.shader)) {
      return node.at("shader").fail_here(
          fmt::format("must be the path of a template (.wgsl or .wgsl.jinja), got \"{}\"", printable(pass.shader)));
    }
    if (node.has("derive")) {
      WGK_TRY(pass.values, read_derives(node.at("derive"), manifest_, where));
    }
    WGK_TRY(pass.bindings, read_bindings(node, printable(id)));
    if (!node.has("dispatch")) return node.fail(fmt::format("WebGPU pass {} requires dispatch", id));
    WGK_TRY(pass.dispatch, read_dispatch(node.at("dispatch"), where, false));
    WGK_TRY(pass.submit_after, node.boolean_or("submitAfter", false));
    if (node.has("viewAlias")) {
      WGK_TRY(pass.view_alias, read_view_alias(node.at("viewAlias"), pass.bindings, where));
    }
    if (node.has("subgroupCollectivesWidth") && !is_collectives_width(node.at("subgroupCollectivesWidth").tree())) {
      return node.at("subgroupCollectivesWidth").fail_here("must be \"portable\" or a power of two in [4, 128]");
    }
    return pass;
  }

  Status check_group_keys(const Node&, std::string_view) override { return {}; }

  const Node& root_;
  Manifest& manifest_;
  std::vector<Formula> when_;
  Requires requires_;
  std::map<std::string, BindingEntry, std::less<>> entries_;
  Variant* variant_ = nullptr;
};

}  // namespace

Status read_variants(const Node& root, Manifest& manifest) { return VariantReader(root, manifest).read_all(); }

}  // namespace wgk::package::v2
