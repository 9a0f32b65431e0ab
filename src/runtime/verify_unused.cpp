// What is declared and never mentioned. When in doubt a name counts as used: a false alarm costs more than silence.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/json.h"
#include "package/identifiers.h"
#include "package/node.h"
#include "package/pack_files.h"
#include "runtime/verify_mentions.h"
#include "runtime/verify_parts.h"

namespace wgk::runtime {
namespace {

using base::Json;
using package::Formula;
using package::LoadedPackage;
using package::NamedFormula;
using package::Pass;
using package::Variant;

using Names = std::set<std::string, std::less<>>;

/// Every name that formulas, templates and $references use.
class Uses {
 public:
  explicit Uses(const LoadedPackage& loaded) {
    const package::Manifest& manifest = loaded.manifest;
    for (const auto& [name, formula] : manifest.derives) add(formula);
    for (const package::Port& port : manifest.ports) {
      if (port.shape) add(*port.shape);
    }
    for (const Variant& variant : manifest.variants) add(variant);
    for (const auto& [path, file] : loaded.files) add(mentions_in_template(file.text));
  }

  bool bare(const std::string& name) const { return bare_.find(name) != bare_.end(); }
  /// Whether `space.name` is used, or the whole of `space` in a way that may reach it.
  bool member(const std::string& space, const std::string& name) const {
    return bare(space + "." + name) || bare(space + ".*");
  }

 private:
  void add(const Variant& variant) {
    for (const Formula& clause : variant.when) add(clause);
    if (variant.select_above) add(*variant.select_above);
    for (const Formula& clause : variant.demote_when) add(clause);
    for (const auto& [name, formula] : variant.derives) add(formula);
    for (const package::ScratchDecl& scratch : variant.scratch) add(scratch.shape);
    add(variant.steps);
  }

  void add(const std::vector<package::Step>& steps) {
    for (const package::Step& step : steps) {
      if (const auto* group = std::get_if<package::RepeatGroup>(&step.node)) {
        add(group->count);
        add(group->steps);
      } else {
        add(std::get<Pass>(step.node));
      }
    }
  }

  void add(const Pass& pass) {
    for (const auto& [name, formula] : pass.values) add(formula);
    for (const auto& [name, formula] : pass.source_inputs) add(formula);
    for (const package::Binding& binding : pass.bindings) {
      if (binding.element_type.starts_with('$')) bare_.insert(binding.element_type.substr(1));
      if (binding.length && std::holds_alternative<std::string>(*binding.length)) {
        bare_.insert(std::get<std::string>(*binding.length));
      }
      for (const package::UniformField& field : binding.fields) {
        if (field.value) add(*field.value);
        if (field.default_value) add(*field.default_value);
      }
    }
    const package::Dispatch& dispatch = pass.dispatch;
    for (const auto* axis : {&dispatch.x, &dispatch.y, &dispatch.z, &dispatch.count, &dispatch.workgroup_size}) {
      if (*axis) add(**axis);
    }
  }

  void add(const Formula& formula) {
    if (const auto* list = std::get_if<Formula::List>(&formula.node)) {
      for (const Formula& item : *list) add(item);
    } else if (const auto* map = std::get_if<Formula::Map>(&formula.node)) {
      for (const auto& [key, item] : *map) add(item);
    } else if (const auto* expression = std::get_if<jinja::Expression>(&formula.node)) {
      add(mentions_in_expression(expression->text()));
    } else if (const auto* broken = std::get_if<Formula::Broken>(&formula.node)) {
      add(mentions_in_expression(broken->text));
    }
  }

  void add(const std::vector<Mention>& mentions) {
    for (const Mention& mention : mentions) {
      bare_.insert(mention.name);
      bare_.insert(mention.name + "." + (mention.member.empty() ? "*" : mention.member));
    }
  }

  Names bare_;  ///< "name", "space.member", "space.*"
};

class Search {
 public:
  Search(const LoadedPackage& loaded, const PackageText& text, Findings& findings)
      : loaded_(loaded), text_(text), findings_(findings), uses_(loaded) {}

  void run() {
    const package::Manifest& manifest = loaded_.manifest;
    tunables(manifest.tunables, "");
    derives(manifest.derives, "");
    for (const Variant& variant : manifest.variants) {
      const std::string where = " of variant " + variant.id;
      tunables(variant.tunables, where);
      derives(variant.derives, where);
      for_each_pass(variant.steps, [&](const Pass& pass) {
        derives(pass.values, pass.values_see_earlier ? fmt::format(" of variant {} pass {}", variant.id, pass.id) : "",
                pass.values_see_earlier ? "derive" : "constant");
        for (const auto& [name, formula] : pass.source_inputs) {
          if (!uses_.member("source", name)) unused(fmt::format("source input \"{}\" of variant {}", name, variant.id));
        }
      });
    }
    bindings();
    templates();
  }

 private:
  void unused(std::string_view what) {
    findings_.warning("unused", fmt::format("{} is used by no expression and no template", what));
  }

  void tunables(const std::vector<package::Tunable>& tunables, const std::string& where) {
    for (const package::Tunable& tunable : tunables) {
      if (!uses_.member("tunables", tunable.name)) unused(fmt::format("tunable \"{}\"{}", tunable.name, where));
    }
  }

  void derives(const std::vector<NamedFormula>& derives, const std::string& where, std::string_view what = "derive") {
    for (const auto& [name, formula] : derives) {
      if (uses_.bare(name) || uses_.member("derive", name) || uses_.member("constants", name)) continue;
      unused(fmt::format("{} \"{}\"{}", what, name, where));
    }
  }

  /// The model has resolved the reusable bindings, so who names them is read from the manifest's text.
  void bindings() {
    const auto file = text_.files.find("manifest.json");
    const auto json =
        file == text_.files.end() ? Result<Json>(Json()) : base::parse_json(file->second, ErrorCode::kPackage);
    if (!json || !json->is_object()) return;
    const bool legacy = loaded_.spec == "1.0";
    const auto declared = json->find(legacy ? "bindingSets" : "bindings");
    const auto variants = json->find("variants");
    if (declared == json->end() || !declared->is_object() || variants == json->end()) return;
    Names strings;
    collect_binding_names(*variants, false, strings);
    // A family may make the name of a binding from its values.
    const bool made = std::any_of(strings.begin(), strings.end(),
                                  [](const std::string& name) { return name.find('{') != std::string::npos; });
    if (made) return;
    for (const auto& [name, value] : declared->items()) {
      if (name == "$comment" || strings.find(name) != strings.end()) continue;
      findings_.warning("unused", fmt::format("{} \"{}\" is used by no pass", legacy ? "binding set" : "binding",
                                              package::printable(name, 80)));
    }
  }

  static void collect_binding_names(const Json& json, bool inside, Names& names) {
    if (json.is_string() && inside) {
      names.insert(json.get_ref<const std::string&>());
    } else if (json.is_array()) {
      for (const Json& item : json) collect_binding_names(item, inside, names);
    } else if (json.is_object()) {
      for (const auto& [key, value] : json.items()) collect_binding_names(value, inside || key == "bindings", names);
    }
  }

  void templates() {
    Names needed;
    for (const Variant& variant : loaded_.manifest.variants) {
      const auto list = package::needed_templates(variant, text_.files);
      if (!list) return;  // reported where it is rendered
      needed.insert(list->begin(), list->end());
    }
    for (const auto& [path, text] : text_.files) {
      if (package::is_template_path(path) && needed.find(path) == needed.end()) {
        findings_.warning("unused", fmt::format("template {} is rendered by no variant", path));
      }
    }
  }

  const LoadedPackage& loaded_;
  const PackageText& text_;
  Findings& findings_;
  Uses uses_;
};

}  // namespace

void verify_unused(const LoadedPackage& loaded, const PackageText& text, Findings& findings) {
  Search(loaded, text, findings).run();
}

}  // namespace wgk::runtime
