// A walk over every formula of the manifest with the names that its place sees. What the planner would find for one
// call, this finds for all.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/excerpt.h"
#include "package/node.h"
#include "plan/vocabulary.h"
#include "runtime/verify_mentions.h"
#include "runtime/verify_parts.h"

namespace wgk::runtime {
namespace {

using package::Formula;
using package::LoadedPackage;
using package::Manifest;
using package::NamedFormula;
using package::Pass;
using package::Variant;

using Names = std::set<std::string, std::less<>>;

/// What one place sees: bare names, and members of the namespaces.
struct Scope {
  Names bare;
  std::map<std::string, Names, std::less<>> members;
};

void add_all(Names& names, const std::vector<package::Tunable>& tunables) {
  for (const package::Tunable& tunable : tunables) names.insert(tunable.name);
}

void add_derive(Scope& scope, const std::string& name) {
  scope.bare.insert(name);
  scope.members["derive"].insert(name);
}

std::string suggestion(std::string_view word, const Names& names) {
  return package::suggestion(word, std::vector<std::string>(names.begin(), names.end()));
}

class Checker {
 public:
  Checker(const LoadedPackage& loaded, Findings& findings)
      : manifest_(loaded.manifest), findings_(findings), modern_(loaded.spec != "1.0") {
    for (const package::Port& port : manifest_.ports) dtypes_.insert(port.dtype.empty() ? "float32" : port.dtype);
    for (const Variant& variant : manifest_.variants) {
      for (const auto& [name, formula] : variant.derives) inner_.emplace(name, "a derive of a variant");
      for_each_pass(variant.steps, [&](const Pass& pass) {
        for (const auto& [name, formula] : pass.values) {
          inner_.emplace(name, pass.values_see_earlier ? "a derive of a pass" : "a constant");
        }
      });
    }
    for (const std::string& dtype : dtypes_) {
      inner_.emplace(dtype, fmt::format("a dtype (dtypes.{}), which only passes see bare", dtype));
    }
  }

  void run() {
    Scope scope = outer_scope();
    Scope with_derives = scope;
    for (const auto& [name, formula] : manifest_.derives) {
      check(formula, scope);
      add_derive(scope, name);
      add_derive(with_derives, name);
    }
    for (const package::Port& port : manifest_.ports) {
      if (port.shape) check(*port.shape, with_derives);
    }
    for (const Variant& variant : manifest_.variants) check_variant(variant, with_derives);
  }

  /// The namespaces of every template together: one may serve several variants.
  void check_templates(const LoadedPackage& loaded) {
    Scope scope = outer_scope();
    for (const Variant& variant : manifest_.variants) add_all(scope.members["tunables"], variant.tunables);
    scope.members.erase("derive");  // pass derives are among them
    for (const auto& [path, file] : loaded.files) {
      for (const Mention& mention : mentions_in_template(file.text)) {
        if (const std::string problem = unknown_member(mention, scope); !problem.empty()) {
          const auto line =
              std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(mention.offset), '\n');
          findings_.warning("name", fmt::format("{}:{}: {}", path, line + 1, problem));
        }
      }
    }
  }

 private:
  Scope outer_scope() const {
    Scope scope;
    for (const char* name :
         {"attrs", "args", "tunables", "shapes", "ranks", "tensorDtypes", "dtypes", "logicalDtypes", "present",
          "device", "repeat", "derive", "true", "false", "none", "True", "False", "None"}) {
      scope.bare.insert(name);
    }
    for (const std::string& name : plan::vocabulary_names(manifest_.legacy_functions)) scope.bare.insert(name);
    for (const package::Port& port : manifest_.ports) {
      for (const char* space : {"shapes", "ranks", "tensorDtypes"}) {
        scope.members[space].insert(port.scope_names.begin(), port.scope_names.end());
      }
      scope.members["present"].insert(port.key);
    }
    for (const package::ScalarArg& arg : manifest_.scalars) {
      scope.members["present"].insert(arg.name);
      scope.members["args"].insert(arg.name);
    }
    for (const package::AttributeDecl& attribute : manifest_.attributes) scope.members["attrs"].insert(attribute.name);
    scope.members["args"];
    scope.members["attrs"];
    add_all(scope.members["tunables"], manifest_.tunables);
    scope.members["dtypes"] = scope.members["logicalDtypes"] = dtypes_;
    scope.members["derive"];
    scope.members["device"] = {"features", "wgslLanguageFeatures", "limits", "adapterInfo"};
    return scope;
  }

  void check_variant(const Variant& variant, const Scope& outer) {
    for (const Formula& clause : variant.when) check(clause, outer);
    if (variant.select_above) check(*variant.select_above, outer);
    for (const Formula& clause : variant.demote_when) check(clause, outer);
    Scope scope = outer;
    add_all(scope.members["tunables"], variant.tunables);
    for (const auto& [name, formula] : variant.derives) {
      check(formula, scope);
      add_derive(scope, name);
    }
    for (const package::ScratchDecl& scratch : variant.scratch) check(scratch.shape, scope);
    check_steps(variant.steps, scope);
  }

  void check_steps(const std::vector<package::Step>& steps, const Scope& scope) {
    for (const package::Step& step : steps) {
      if (const auto* group = std::get_if<package::RepeatGroup>(&step.node)) {
        check(group->count, scope);
        check_steps(group->steps, scope);
      } else {
        check_pass(std::get<Pass>(step.node), scope);
      }
    }
  }

  void check_pass(const Pass& pass, const Scope& outer) {
    Scope scope = outer;
    if (pass.values_see_earlier) scope.bare.insert(dtypes_.begin(), dtypes_.end());
    for (const auto& [name, formula] : pass.values) {
      check(formula, pass.values_see_earlier ? scope : outer);
      if (pass.values_see_earlier) add_derive(scope, name);
    }
    if (!pass.values_see_earlier) {
      Names& constants = scope.members["constants"];
      constants = dtypes_;
      for (const auto& [name, formula] : pass.values) constants.insert(name);
      scope.bare.insert(constants.begin(), constants.end());
    }
    if (!modern_) scope.bare.insert("constants");
    for (const auto& [name, formula] : pass.source_inputs) check(formula, scope);
    if (!modern_) scope.bare.insert("source");
    for (const package::Binding& binding : pass.bindings) {
      for (const package::UniformField& field : binding.fields) {
        if (field.value) check(*field.value, scope);
        if (field.default_value) check(*field.default_value, scope);
      }
    }
    const package::Dispatch& dispatch = pass.dispatch;
    for (const auto* axis : {&dispatch.x, &dispatch.y, &dispatch.z, &dispatch.count, &dispatch.workgroup_size}) {
      if (*axis) check(**axis, scope);
    }
  }

  void check(const Formula& formula, const Scope& scope) {
    if (const auto* list = std::get_if<Formula::List>(&formula.node)) {
      for (const Formula& item : *list) check(item, scope);
    } else if (const auto* map = std::get_if<Formula::Map>(&formula.node)) {
      for (const auto& [key, item] : *map) check(item, scope);
    } else if (const auto* broken = std::get_if<Formula::Broken>(&formula.node)) {
      findings_.error("expression", place(formula) + broken->reason + base::excerpt(broken->text, broken->reason));
    } else if (const auto* literal = std::get_if<jinja::Expression>(&formula.node)) {
      check_expression(formula, literal->text(), literal->required_names(), scope);
    }
  }

  static std::string place(const Formula& formula) {
    return fmt::format("manifest.json: {}: ", package::printable(formula.pointer(), 300));
  }

  void check_expression(const Formula& formula, const std::string& text, const std::vector<std::string>& required,
                        const Scope& scope) {
    for (const std::string& name : required) {
      if (scope.bare.find(name) != scope.bare.end()) continue;
      const std::string reason = fmt::format("unknown identifier \"{}\"", package::printable(name, 80));
      findings_.error("expression", place(formula) + reason + hint(name, scope) + base::excerpt(text, reason));
    }
    const std::vector<Mention> mentions = mentions_in_expression(text);
    for (const Mention& mention : mentions) {
      const bool guarded = std::any_of(mentions.begin(), mentions.end(), [&](const Mention& other) {
        return other.guarded && other.name == mention.name && other.member == mention.member;
      });
      const std::string problem = guarded ? std::string() : unknown_member(mention, scope);
      if (problem.empty()) continue;
      findings_.warning(
          "name", place(formula) + problem + base::excerpt(text, fmt::format(" at column {}", mention.offset + 1)));
    }
  }

  std::string hint(const std::string& name, const Scope& scope) const {
    if (const auto found = inner_.find(name); found != inner_.end()) {
      return fmt::format(": it is {}, and not in scope here", found->second);
    }
    for (const auto& [derive, formula] : manifest_.derives) {
      if (derive == name) return ": this derive comes later";
    }
    for (const auto& [space, names] : scope.members) {
      if (space != "device" && names.find(name) != names.end()) return fmt::format("; write {}.{}", space, name);
    }
    return suggestion(name, scope.bare);
  }

  /// Why `attrs.q` and the like can have no value; empty when they can.
  std::string unknown_member(const Mention& mention, const Scope& scope) const {
    if (mention.member.empty() || mention.guarded) return {};
    const auto space = scope.members.find(mention.name);
    if (space == scope.members.end() || space->second.find(mention.member) != space->second.end()) return {};
    if (mention.name == "attrs" && mention.member == "get") return {};
    std::string text = fmt::format("{}.{} is never defined", mention.name, package::printable(mention.member, 80));
    if (mention.name == "tunables" && is_variant_tunable(mention.member)) {
      return text + " here: it is a tunable of a variant, which shapes, manifest derives and guards do not see";
    }
    return text + suggestion(mention.member, space->second);
  }

  bool is_variant_tunable(const std::string& name) const {
    return std::any_of(manifest_.variants.begin(), manifest_.variants.end(), [&](const Variant& variant) {
      return std::any_of(variant.tunables.begin(), variant.tunables.end(),
                         [&](const package::Tunable& tunable) { return tunable.name == name; });
    });
  }

  const Manifest& manifest_;
  Findings& findings_;
  const bool modern_;
  Names dtypes_;
  std::map<std::string, std::string, std::less<>> inner_;  ///< names of inner scopes, and what they are
};

}  // namespace

void verify_expressions(const LoadedPackage& loaded, Findings& findings) {
  Checker checker(loaded, findings);
  checker.run();
  checker.check_templates(loaded);
}

}  // namespace wgk::runtime
