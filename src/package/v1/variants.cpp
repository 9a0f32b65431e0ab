// Dialect 1.0: constants, binding sets, variants and passes.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/v1/sections.h"

namespace wgk::package::v1 {
namespace {

constexpr auto kVariantKeys = std::to_array<std::string_view>({"id",
                                                               "priority",
                                                               "default",
                                                               "when",
                                                               "demoteWhen",
                                                               "selectAbove",
                                                               "supersededBy",
                                                               "description",
                                                               "name",
                                                               "version",
                                                               "requires",
                                                               "requiredFeatures",
                                                               "requiredLimits",
                                                               "requiredSubgroupMinSize",
                                                               "tunables",
                                                               "derive",
                                                               "constants",
                                                               "bindings",
                                                               "intermediates",
                                                               "passes"});
constexpr auto kPassKeys = std::to_array<std::string_view>(
    {"id", "name", "shader", "source", "bindings", "constants", "uniforms", "dispatch", "entryPoint", "submitAfter",
     "viewAlias", "reads", "writes", "profile", "metadata", "subgroupCollectivesWidth"});
constexpr auto kGroupKeys = std::to_array<std::string_view>({"id", "repeat", "passes"});
constexpr auto kSourceKeys = std::to_array<std::string_view>({"shader", "inputs", "kind", "version"});
constexpr auto kBindingKeys =
    std::to_array<std::string_view>({"name", "arg", "semantic", "buffer", "elementType", "length", "struct"});
constexpr auto kBufferKeys = std::to_array<std::string_view>({"type"});
constexpr auto kStructKeys = std::to_array<std::string_view>({"name", "fields"});
constexpr auto kFieldKeys = std::to_array<std::string_view>({"name", "type", "value", "default", "required"});

/// A binding as written; its resource is found per variant, since intermediates come first.
struct RawBinding {
  Binding binding;
  std::string arg;
  std::string semantic;
  const Place* place = nullptr;
};
using RawBindings = std::shared_ptr<const std::vector<RawBinding>>;

Result<BindingAccess> read_access(const Node& node) {
  WGK_TRY(const std::string type, node.string());
  if (type == "read-only-storage") return BindingAccess::kReadOnlyStorage;
  if (type == "storage") return BindingAccess::kStorage;
  if (type == "uniform") return BindingAccess::kUniform;
  return node.fail_here(fmt::format("must be read-only-storage, storage or uniform, got \"{}\"", printable(type)));
}

Status read_uniform(const Node& node, const std::string& where, Binding& binding) {
  if (!node.has("struct")) {
    return node.fail(fmt::format("WebGPU uniform binding {} requires struct", binding.name));
  }
  if (node.has("elementType") || node.has("length")) {
    return node.fail_here("is a uniform binding and must not have elementType or length");
  }
  const Node layout = node.at("struct");
  WGK_CHECK(layout.known_keys(where + " struct", kStructKeys));
  if (!layout.has("name") || !layout.has("fields")) return layout.fail_here("must have name and fields");
  binding.source = PlanBinding::Source::kUniform;
  WGK_TRY(binding.struct_name, read_wgsl_name(layout.at("name")));
  WGK_TRY(binding.fields, read_struct_fields(layout.at("fields"), where, kFieldKeys));
  return {};
}

Result<RawBinding> read_binding(const Node& node) {
  WGK_CHECK(node.require_object());
  WGK_CHECK(node.charge(1));
  RawBinding raw;
  raw.place = node.place();
  Binding& binding = raw.binding;
  if (!node.has("name")) return node.fail_here("must have name");
  WGK_TRY(binding.name, read_wgsl_name(node.at("name")));
  const std::string where = fmt::format("WebGPU manifest {} binding {}", node.context().op, binding.name);
  WGK_CHECK(node.known_keys(where, kBindingKeys));
  WGK_TRY(raw.arg, node.string_or("arg", ""));
  WGK_TRY(raw.semantic, node.string_or("semantic", ""));
  if (!node.has("buffer")) return node.fail_here("must have buffer");
  const Node buffer = node.at("buffer");
  WGK_CHECK(buffer.known_keys(where + " buffer", kBufferKeys));
  if (!buffer.has("type")) return buffer.fail_here("must have type");
  WGK_TRY(binding.access, read_access(buffer.at("type")));
  if (binding.access == BindingAccess::kUniform) {
    WGK_CHECK(read_uniform(node, where, binding));
    return raw;
  }
  if (!node.has("elementType")) {
    return node.fail(fmt::format("WebGPU storage binding {} requires elementType", binding.name));
  }
  if (node.has("struct")) return node.at("struct").fail_here("belongs to uniform bindings only");
  WGK_TRY(binding.element_type, read_element_type(node.at("elementType")));
  if (node.has("length")) {
    WGK_TRY(binding.length, read_length(node.at("length")));
  }
  return raw;
}

Result<RawBindings> read_binding_list(const Node& list, std::string_view where) {
  WGK_CHECK(list.require_array());
  WGK_CHECK(list.limit(where, "bindings", list.size(), limits::kMaxBindings));
  auto bindings = std::make_shared<std::vector<RawBinding>>();
  std::set<std::string> names;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const Node node = list.at(index);
    WGK_TRY(RawBinding raw, read_binding(node));
    if (!names.insert(raw.binding.name).second) {
      return node.fail(fmt::format("{} binds the WGSL name \"{}\" twice", where, raw.binding.name));
    }
    bindings->push_back(std::move(raw));
  }
  return RawBindings(std::move(bindings));
}

std::optional<std::uint32_t> find_port(const Manifest& manifest, const std::string& name, bool by_semantic) {
  if (name.empty()) return std::nullopt;
  for (std::uint32_t index = 0; index < manifest.ports.size(); ++index) {
    const Port& port = manifest.ports[index];
    if ((by_semantic ? port.onnx_name : port.key) == name) return index;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> find_scratch(const Variant& variant, const std::string& id) {
  if (id.empty()) return std::nullopt;
  for (std::uint32_t index = 0; index < variant.scratch.size(); ++index) {
    if (variant.scratch[index].id == id) return index;
  }
  return std::nullopt;
}

/// Resource lookup of package-format 3.5, first hit wins.
bool resolve(const Manifest& manifest, const Variant& variant, const RawBinding& raw, Binding& binding) {
  auto scratch = find_scratch(variant, binding.name);
  if (!scratch) scratch = find_scratch(variant, raw.semantic);
  if (scratch) {
    binding.source = PlanBinding::Source::kScratch;
    binding.index = *scratch;
    return true;
  }
  auto port = find_port(manifest, raw.arg, false);
  if (!port) port = find_port(manifest, binding.name, false);
  if (!port) port = find_port(manifest, raw.semantic, true);
  if (!port) return false;
  binding.source = PlanBinding::Source::kTensor;
  binding.index = *port;
  return true;
}

/// Later values replace earlier ones of the same name, in place.
void overlay(std::vector<NamedFormula>& values, const std::vector<NamedFormula>& more) {
  std::unordered_map<std::string, std::size_t> places;
  for (const NamedFormula& value : values) places.emplace(value.first, places.size());
  for (const NamedFormula& value : more) {
    const auto [place, fresh] = places.emplace(value.first, values.size());
    if (fresh) {
      values.push_back(value);
    } else {
      values[place->second].second = value.second;
    }
  }
}

class VariantReader : StepReader {
 public:
  VariantReader(const Node& root, Manifest& manifest) : root_(root), manifest_(manifest) {}

  Status read_all() {
    if (!root_.has("variants") || !root_.at("variants").tree().is_list() || root_.at("variants").tree().empty()) {
      return root_.fail(fmt::format("WebGPU manifest {} requires a non-empty variants list", op()));
    }
    if (root_.has("constants")) {
      WGK_TRY(constants_, read_named_formulas(root_.at("constants"), op(), "constants"));
    }
    if (root_.has("bindingSets")) WGK_CHECK(root_.at("bindingSets").require_object());
    const Node list = root_.at("variants");
    WGK_CHECK(list.limit(op(), "variants", list.size(), limits::kMaxVariants));
    std::vector<std::vector<std::string>> superseded_by;
    std::vector<Node> nodes;
    for (std::size_t index = 0; index < list.size(); ++index) {
      const Node node = list.at(index);
      std::vector<std::string> superseding;
      WGK_CHECK(read_variant(node, index, superseding));
      superseded_by.push_back(std::move(superseding));
      nodes.push_back(node);
    }
    return link_variants(manifest_, superseded_by, nodes, "");
  }

 private:
  const std::string& op() const { return root_.context().op; }

  Status read_variant(const Node& node, std::size_t index, std::vector<std::string>& superseding) {
    WGK_CHECK(node.require_object());
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
    if (node.has("description") && node.at("description").tree().is_string()) {
      variant.description = node.at("description").tree().text();
    }
    WGK_TRY(variant.is_default, node.boolean_or("default", false));
    if (node.has("priority")) {
      WGK_TRY(variant.priority, node.at("priority").number());
    }
    WGK_CHECK(read_guards(node, variant, superseding));
    WGK_CHECK(read_all_requires(node, where, variant));
    const std::string short_where = fmt::format("{} variant {}", op(), variant.id);
    if (node.has("tunables")) {
      WGK_TRY(variant.tunables, read_bare_tunables(node.at("tunables"), short_where));
    }
    if (node.has("derive")) {
      WGK_TRY(variant.derives, read_named_formulas(node.at("derive"), short_where, "derives"));
    }
    variant_constants_ = constants_;
    if (node.has("constants")) {
      WGK_TRY(const auto own, read_named_formulas(node.at("constants"), short_where, "constants"));
      overlay(variant_constants_, own);
    }
    if (node.has("intermediates")) {
      WGK_TRY(variant.scratch, read_intermediates(node.at("intermediates"), manifest_, variant.id,
                                                  {.closed_keys = false, .wgsl_spellings = true}));
    }
    variant_bindings_ = node.has("bindings") ? std::optional<Node>(node.at("bindings")) : std::nullopt;
    if (!node.has("passes")) return node.fail(fmt::format("WebGPU variant {} requires passes", variant.id));
    WGK_TRY(variant.steps, read_steps(node.at("passes"), variant.id));
    return {};
  }

  Status read_guards(const Node& node, Variant& variant, std::vector<std::string>& superseding) {
    if (node.has("when")) WGK_CHECK(read_when(node.at("when"), variant));
    if (node.has("selectAbove")) {
      WGK_TRY(variant.select_above, read_formula(node.at("selectAbove")));
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

  Status read_when(const Node& node, Variant& variant) {
    const Tree& tree = node.tree();
    if (tree.is_boolean() && tree.as_boolean()) return {};
    if (tree.is_list() && !tree.empty()) {
      WGK_TRY(variant.when, read_clauses(node));
      return {};
    }
    if (!tree.is_string() && !tree.is_boolean()) {
      return node.fail(fmt::format("WebGPU variant {} when[] must be a non-empty list of predicates", variant.id));
    }
    WGK_TRY(Formula clause, read_formula(node));
    variant.when.push_back(std::move(clause));
    return {};
  }

  /// The older spellings stand beside `requires` and mean the same; what both give is united.
  Status read_all_requires(const Node& node, const std::string& where, Variant& variant) {
    if (node.has("requires")) {
      WGK_TRY(variant.requires_, read_requires(node.at("requires"), where, false));
    }
    std::vector<Tree::Member> older;
    const auto rename = [&](std::string_view old_key, std::string_view key) {
      if (node.has(old_key)) older.push_back({key, node.tree().find(old_key)->value});
    };
    rename("requiredFeatures", "features");
    rename("requiredLimits", "limits");
    rename("requiredSubgroupMinSize", "subgroupMinSize");
    if (older.empty()) return {};
    const Tree renamed = Tree::map(older);
    WGK_TRY(Requires more, read_requires(Node(renamed, node.place(), node.context()), where, false));
    WGK_TRY(variant.requires_, merge_requires(variant.requires_, more, node));
    return {};
  }

  Result<RawBindings> named_set(const Node& node) {
    const std::string name(node.tree().text());
    if (const auto cached = sets_.find(name); cached != sets_.end()) return cached->second;
    const auto unknown = [&] {
      std::vector<std::string> names;
      if (root_.has("bindingSets")) {
        for (const auto& [known, set] : root_.at("bindingSets").tree().members()) {
          if (names.size() < limits::kMaxVariants) names.emplace_back(known);
        }
      }
      return node.fail(fmt::format("WebGPU pass {} references unknown bindingSet \"{}\"{}", pass_id_, printable(name),
                                   suggestion(name, names)));
    };
    if (!root_.has("bindingSets") || !root_.at("bindingSets").has(name)) return unknown();
    // A shared set stands at manifest level: an expression of it that does not parse fails the load.
    std::string* const unusable = std::exchange(node.context().unusable, nullptr);
    auto set =
        read_binding_list(root_.at("bindingSets").at(name), fmt::format("WebGPU bindingSet {}", printable(name)));
    node.context().unusable = unusable;
    WGK_TRY(RawBindings bindings, std::move(set));
    sets_.emplace(name, bindings);
    return bindings;
  }

  Result<RawBindings> raw_bindings(const Node& pass) {
    if (!pass.has("bindings") && !variant_bindings_) {
      return pass.fail(fmt::format("WebGPU pass {} requires bindings", pass_id_));
    }
    const Node node = pass.has("bindings") ? pass.at("bindings") : *variant_bindings_;
    if (node.tree().is_string()) return named_set(node);
    return read_binding_list(node, fmt::format("WebGPU pass {}", pass_id_));
  }

  Result<std::vector<Binding>> read_bindings(const Node& pass) {
    WGK_TRY(const RawBindings raws, raw_bindings(pass));
    if (raws->empty()) return pass.fail(fmt::format("WebGPU pass {} requires bindings", pass_id_));
    std::vector<Binding> bindings;
    for (const RawBinding& raw : *raws) {
      WGK_CHECK(pass.charge(1 + raw.binding.fields.size()));
      Binding binding = raw.binding;
      if (binding.access != BindingAccess::kUniform && !resolve(manifest_, *variant_, raw, binding)) {
        const std::string& wanted = !raw.arg.empty() ? raw.arg : !raw.semantic.empty() ? raw.semantic : binding.name;
        return Node(pass.tree(), raw.place, pass.context())
            .fail(fmt::format("WebGPU variant {} pass {} binding \"{}\" names request tensor \"{}\", which is neither "
                              "an input, an output nor an intermediate of the variant",
                              variant_->id, pass_id_, binding.name, printable(wanted)));
      }
      bindings.push_back(std::move(binding));
    }
    if (pass.has("uniforms")) WGK_CHECK(override_uniforms(pass.at("uniforms"), bindings));
    return bindings;
  }

  /// uniforms: binding name -> field name -> expression, replacing the field's own value.
  Status override_uniforms(const Node& uniforms, std::vector<Binding>& bindings) {
    WGK_CHECK(uniforms.require_object());
    return for_each_member(uniforms, [&](std::string_view name, const Node& fields) -> Status {
      const auto binding = std::find_if(bindings.begin(), bindings.end(), [&](const Binding& candidate) {
        return candidate.name == name && candidate.access == BindingAccess::kUniform;
      });
      if (binding == bindings.end()) {
        return fields.fail(fmt::format("WebGPU pass {} uniforms names \"{}\", which is not a uniform binding", pass_id_,
                                       printable(name)));
      }
      WGK_CHECK(fields.require_object());
      return for_each_member(fields, [&](std::string_view field_name, const Node& value) -> Status {
        for (UniformField& field : binding->fields) {
          if (field.name != field_name) continue;
          WGK_TRY(field.value, read_formula(value));
          return {};
        }
        return value.fail(fmt::format("WebGPU pass {} uniforms.{} names field \"{}\", which struct {} does not have",
                                      pass_id_, name, printable(field_name), binding->struct_name));
      });
    });
  }

  Status read_shader(const Node& node, const std::string& where, Pass& pass) {
    if (node.has("shader") == node.has("source")) {
      if (node.has("shader")) return node.fail(fmt::format("{} must not have both shader and source", where));
      return node.fail(fmt::format("WebGPU pass {} requires shader or source", pass.id));
    }
    Node shader = node;
    if (node.has("source")) {
      const Node source = node.at("source");
      WGK_CHECK(source.known_keys(where + " source", kSourceKeys));
      if (source.has("kind") && !source.at("kind").tree().is("template")) {
        return source.at("kind").fail_here("must be \"template\"");
      }
      if (!source.has("shader")) return source.fail(fmt::format("WebGPU pass {} requires shader or source", pass.id));
      if (source.has("inputs")) {
        WGK_TRY(pass.source_inputs, read_named_formulas(source.at("inputs"), where, "source inputs"));
      }
      shader = source.at("shader");
    } else {
      shader = node.at("shader");
    }
    WGK_TRY(pass.shader, shader.string());
    if (is_template_path(pass.shader)) return {};
    return shader.fail_here(
        fmt::format("must be the path of a template (.wgsl or .wgsl.jinja), got \"{}\"", printable(pass.shader)));
  }

  Result<Pass> read_pass(const Node& node, const std::string& id) override {
    pass_id_ = id;
    const std::string where = fmt::format("WebGPU manifest {} variant {} pass {}", op(), variant_->id, printable(id));
    WGK_CHECK(node.known_keys(where, kPassKeys));
    Pass pass;
    pass.id = id;
    WGK_TRY(pass.label, node.string_or("name", fmt::format("{}.{}.{}", manifest_.op, variant_->id, id)));
    WGK_CHECK(read_shader(node, where, pass));
    pass.values = variant_constants_;
    if (node.has("constants")) {
      WGK_TRY(const auto own, read_named_formulas(node.at("constants"), where, "constants"));
      overlay(pass.values, own);
    }
    WGK_CHECK(node.charge(pass.values.size()));
    WGK_TRY(pass.bindings, read_bindings(node));
    if (!node.has("dispatch")) return node.fail(fmt::format("WebGPU pass {} requires dispatch", id));
    WGK_TRY(pass.dispatch, read_dispatch(node.at("dispatch"), where, true));
    if (node.has("entryPoint")) {
      WGK_TRY(pass.entry_point, read_wgsl_name(node.at("entryPoint")));
    }
    WGK_TRY(pass.submit_after, node.boolean_or("submitAfter", false));
    if (node.has("viewAlias")) {
      WGK_TRY(pass.view_alias, read_view_alias(node.at("viewAlias"), pass.bindings, where));
    }
    return pass;
  }

  Status check_group_keys(const Node& group, std::string_view where) override {
    return group.known_keys(fmt::format("WebGPU manifest {} {}", op(), where), kGroupKeys);
  }

  const Node& root_;
  Manifest& manifest_;
  std::vector<NamedFormula> constants_;
  std::map<std::string, RawBindings, std::less<>> sets_;
  Variant* variant_ = nullptr;
  std::vector<NamedFormula> variant_constants_;
  std::optional<Node> variant_bindings_;
  std::string pass_id_;
};

}  // namespace

Status read_variants(const Node& root, Manifest& manifest) { return VariantReader(root, manifest).read_all(); }

}  // namespace wgk::package::v1
