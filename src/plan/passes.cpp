// Each pass instance is made on its own: values, bindings, WGSL, uniforms, dispatch, in that order.
#include "plan/passes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/storage.h"
#include "base/try.h"
#include "plan/brief_text.h"
#include "plan/device_limits.h"
#include "plan/dispatch.h"
#include "plan/dtypes.h"
#include "plan/enable_lines.h"
#include "plan/evaluate.h"
#include "plan/resources.h"
#include "plan/uniforms.h"

namespace wgk::plan {
namespace {

using jinja::Budget;
using jinja::Scope;
using jinja::Value;
using package::Binding;
using package::NamedFormula;
using package::Pass;
using package::RepeatGroup;
using package::Step;

/// What one instance of the pass adds to a plan beside its WGSL, roughly.
std::uint64_t detail_bytes(const Pass& pass) {
  std::uint64_t bytes = sizeof(PlanPass) + 2 * pass.id.size() + pass.label.size() + pass.shader.size() +
                        pass.entry_point.size() + pass.view_alias.size() * sizeof(pass.view_alias[0]);
  for (const Binding& binding : pass.bindings) {
    bytes += sizeof(PlanBinding) + binding.name.size() + binding.struct_name.size();
    for (const package::UniformField& field : binding.fields) bytes += sizeof(PlanUniform::Field) + field.name.size();
  }
  return bytes;
}

/// A repeat group that the pass being made stands in.
struct RepeatFrame {
  std::string_view name;
  double index = 0;
  double count = 0;
};

Value repeat_namespace(const std::vector<RepeatFrame>& frames) {
  jinja::Map members;
  if (!frames.empty()) {
    members.emplace_back("index", Value::number(frames.back().index));
    members.emplace_back("count", Value::number(frames.back().count));
  }
  for (const RepeatFrame& frame : frames) {
    members.emplace_back(std::string(frame.name), Value::number(frame.index));
    members.emplace_back(fmt::format("{}_count", frame.name), Value::number(frame.count));
  }
  return Value::map(std::move(members));
}

Error out_of_steps(std::string_view op, std::string_view pointer) {
  return Error{ErrorCode::kPackage, fmt::format("{}: manifest.json: {}: evaluation step limit ({}) exceeded", op,
                                                pointer, limits::kMaxEvaluationSteps)};
}

bool has_own_name(const Scope& scope, std::string_view name) {
  for (const auto& [known, value] : scope.entries()) {
    if (known == name) return true;
  }
  return false;
}

/// The scopes of one pass, innermost last. Namespaces that only passes have lie beside the dtypes, unless a derive or a
/// type variable has their name: those come first in lookup.
class PassScope {
 public:
  PassScope(const Environment& environment, const BoundRequest& bound)
      : derives_(environment.derives()), dtypes_(&derives_), namespaces_(&dtypes_), values_(&namespaces_) {
    for (const NamedDtype& dtype : bound.dtypes) {
      dtypes_.set(dtype.name, Value::string(std::string(wgsl_scalar(dtype.storage))));
    }
  }
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;

  Status evaluate_values(const Pass& pass, std::string_view op, Budget& budget) {
    return pass.values_see_earlier ? evaluate_chained(pass, op, budget) : evaluate_constants(pass, op, budget);
  }

  void set_namespace(std::string_view name, Value value) {
    if (!has_own_name(derives_, name) && !has_own_name(dtypes_, name)) namespaces_.set(name, std::move(value));
  }

  const Scope& scope() const { return values_; }
  PassValues values() const { return {values_, dtypes_, derives_}; }

 private:
  /// 2.1: each value sees the earlier ones and the outer value of its own name.
  Status evaluate_chained(const Pass& pass, std::string_view op, Budget& budget) {
    for (const auto& [name, formula] : pass.values) {
      if (mentions(formula, "derive")) {
        // Repeat groups multiply this copy, however cheap the expression is that names it.
        if (!budget.spend(derives_.entries().size() + values_.entries().size())) {
          return out_of_steps(op, formula.pointer());
        }
        set_namespace("derive", derives_and_values());
      }
      WGK_TRY(Value value, evaluate_or_fail(formula, op, values_, budget));
      values_.set(name, std::move(value));
    }
    if (!pass.values.empty()) set_namespace("derive", derives_and_values());
    return {};
  }

  /// 1.0: no constant sees another, nor bare dtypes; then the source inputs, which see the constants.
  Status evaluate_constants(const Pass& pass, std::string_view op, Budget& budget) {
    Scope constants;
    for (const auto& [name, value] : dtypes_.entries()) constants.set(name, value);
    const std::unordered_map<std::string_view, std::size_t> last = last_of_each_name(pass.values);
    for (std::size_t i = 0; i < pass.values.size(); ++i) {
      const auto& [name, formula] = pass.values[i];
      if (last.at(name) != i) continue;
      WGK_TRY(Value value, evaluate_or_fail(formula, op, derives_, budget));
      values_.set(name, value);
      constants.set(name, std::move(value));
    }
    set_namespace("constants", as_namespace(constants));
    jinja::Map inputs;
    for (const auto& [name, formula] : pass.source_inputs) {
      WGK_TRY(Value value, evaluate_or_fail(formula, op, values_, budget));
      inputs.emplace_back(name, std::move(value));
    }
    set_namespace("source", Value::map(std::move(inputs)));
    return {};
  }

  /// A constant that a later one replaces is not evaluated.
  static std::unordered_map<std::string_view, std::size_t> last_of_each_name(const std::vector<NamedFormula>& values) {
    std::unordered_map<std::string_view, std::size_t> last;
    for (std::size_t i = 0; i < values.size(); ++i) last[values[i].first] = i;
    return last;
  }

  Value derives_and_values() const {
    Scope all = derives_;
    all.reserve(values_.entries().size());
    for (const auto& [name, value] : values_.entries()) all.set(name, value);
    return Value::map(std::move(all).entries());
  }

  const Scope& derives_;
  Scope dtypes_;
  Scope namespaces_;
  Scope values_;
};

class PassMaker {
 public:
  PassMaker(const PassInputs& inputs, Environment& environment, Budget& budget, Plan& plan)
      : inputs_(inputs),
        op_(inputs.package.manifest.op),
        environment_(environment),
        budget_(budget),
        plan_(plan),
        dispatch_limits_(dispatch_limits(inputs.package.manifest, inputs.profile)),
        render_budget_(limits::kMaxPlanRenderSteps) {}

  Status make_all() {
    WGK_CHECK(add_steps(inputs_.variant.steps, ""));
    if (plan_.passes.empty()) return variant_error("expands to no pass");
    return {};
  }

 private:
  Error variant_error(std::string_view what) const {
    return Error{ErrorCode::kPackage, fmt::format("WebGPU op {} variant {} {}", op_, inputs_.variant.id, what)};
  }

  Error pass_error(const Error& error, std::string_view id) const {
    return Error{error.code,
                 fmt::format("WebGPU op {} variant {} pass {}: {}", op_, inputs_.variant.id, id, error.message)};
  }

  Status add_steps(const std::vector<Step>& steps, const std::string& prefix) {
    for (const Step& step : steps) {
      if (const auto* group = std::get_if<RepeatGroup>(&step.node)) {
        WGK_CHECK(add_group(*group, prefix));
      } else {
        WGK_CHECK(add_pass(std::get<Pass>(step.node), prefix));
      }
    }
    return {};
  }

  Status add_group(const RepeatGroup& group, const std::string& prefix) {
    WGK_TRY(const Value value, evaluate_or_fail(group.count, op_, environment_.derives(), budget_));
    const bool valid = value.is_number() && value.as_number() >= 0 &&
                       value.as_number() <= static_cast<double>(limits::kMaxRepeatCount) &&
                       std::floor(value.as_number()) == value.as_number();
    if (!valid) {
      return Error{ErrorCode::kPackage,
                   fmt::format("WebGPU repeat group {} count must resolve to an integer in [0, 65535], got {}",
                               group.id, brief_text(value))};
    }
    frames_.push_back(RepeatFrame{group.index_name, 0, value.as_number()});
    const auto count = static_cast<std::uint32_t>(value.as_number());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!budget_.spend()) {
        return variant_error(
            fmt::format("repeat group {}: evaluation step limit ({}) exceeded", group.id, limits::kMaxEvaluationSteps));
      }
      WGK_CHECK(charge_detail(prefix.size() + group.id.size() + frames_.size() * sizeof(RepeatFrame)));
      frames_.back().index = i;
      environment_.set_namespace("repeat", repeat_namespace(frames_));
      WGK_CHECK(add_steps(group.steps, fmt::format("{}{}[{}].", prefix, group.id, i)));
    }
    frames_.pop_back();
    environment_.set_namespace("repeat", repeat_namespace(frames_));
    return {};
  }

  Status add_pass(const Pass& pass, const std::string& prefix) {
    if (plan_.passes.size() == limits::kMaxPassInstances) {
      return Error{ErrorCode::kPackage,
                   fmt::format("WebGPU op {} variant {}: too many pass instances ({}; the limit is {})", op_,
                               inputs_.variant.id, limits::kMaxPassInstances + 1, limits::kMaxPassInstances)};
    }
    WGK_CHECK(charge_detail(2 * prefix.size() + detail_bytes(pass)));
    PlanPass made;
    made.id = prefix + pass.id;
    if (!ids_.insert(made.id).second) {
      return variant_error(fmt::format("has duplicate expanded pass id \"{}\"", made.id));
    }
    made.label = pass.label;
    made.shader = pass.shader;
    made.entry_point = pass.entry_point;
    made.submit_after = pass.submit_after;
    made.view_alias = pass.view_alias;

    PassScope scope(environment_, inputs_.bound);
    WGK_CHECK(scope.evaluate_values(pass, op_, budget_));
    WGK_TRY(const std::vector<ResolvedBinding> resolved, resolve_bindings(pass, scope.values(), made.id));
    for (const ResolvedBinding& binding : resolved) WGK_CHECK(charge_detail(2 * binding.element_type.size()));
    WGK_CHECK(render(pass, resolved, scope, made));
    WGK_CHECK(bind(pass, resolved, scope.scope(), made));
    if (!plan_.empty) {
      WGK_TRY(made.workgroups,
              evaluate_dispatch(pass.dispatch, dispatch_limits_, op_, made.id, scope.scope(), budget_));
      WGK_CHECK(check_binding_sizes(made));
    }
    plan_.passes.push_back(std::move(made));
    return {};
  }

  Result<std::vector<ResolvedBinding>> resolve_bindings(const Pass& pass, const PassValues& values,
                                                        std::string_view id) const {
    std::vector<ResolvedBinding> all;
    all.reserve(pass.bindings.size());
    for (const Binding& binding : pass.bindings) {
      Result<ResolvedBinding> resolved = resolve_binding(binding, values);
      if (!resolved.ok()) return pass_error(resolved.error(), id);
      all.push_back(*std::move(resolved));
    }
    return all;
  }

  Status render(const Pass& pass, const std::vector<ResolvedBinding>& resolved, PassScope& scope, PlanPass& made) {
    const auto found = inputs_.package.templates.find(pass.shader);
    if (found == inputs_.package.templates.end()) {
      return Error{ErrorCode::kPackage, fmt::format("WebGPU template asset is missing: {}", pass.shader)};
    }
    const Result<jinja::Template>& parsed = found->second.parsed();
    if (!parsed.ok()) return parsed.error();
    Result<std::string> declarations = resource_declarations(pass.bindings, resolved);
    if (!declarations.ok()) return pass_error(declarations.error(), made.id);
    scope.set_namespace("env", env_namespace(*std::move(declarations)));

    Budget budget(std::min(render_budget_.left(), limits::kMaxEvaluationSteps));
    const std::uint64_t before = budget.left();
    Result<std::string> text = parsed->render(scope.scope(), budget);
    render_budget_.spend(before - budget.left());
    if (!text.ok()) return pass_error(text.error(), made.id);

    WgslExtensions extensions = scan_extensions(*text);
    made.wgsl = add_enable_lines(*std::move(text), extensions.missing);
    extensions.enabled.insert(extensions.enabled.end(), extensions.missing.begin(), extensions.missing.end());
    const std::string unsupported = unsupported_enables(extensions.enabled, inputs_.profile);
    if (!unsupported.empty()) {
      return Error{ErrorCode::kRequest,
                   fmt::format("WebGPU op {} variant {} pass {} rendered WGSL enable directives the device does not "
                               "support: {}",
                               op_, inputs_.variant.id, made.id, unsupported)};
    }
    return charge_wgsl(made.wgsl.size());
  }

  Value env_namespace(std::string declarations) const {
    jinja::Map wgsl;
    wgsl.emplace_back("resourceDeclarations", Value::string(std::move(declarations)));
    jinja::Map env;
    env.emplace_back("device", environment_.device());
    env.emplace_back("wgsl", Value::map(std::move(wgsl)));
    return Value::map(std::move(env));
  }

  Status charge_detail(std::uint64_t bytes) {
    detail_bytes_ += bytes;
    if (detail_bytes_ <= limits::kMaxPlanDetailBytes) return {};
    return variant_error(fmt::format("names and fields of all passes exceed {} bytes", limits::kMaxPlanDetailBytes));
  }

  Status charge_wgsl(std::size_t bytes) {
    wgsl_bytes_ += bytes;
    if (wgsl_bytes_ <= limits::kMaxPlanWgslBytes) return {};
    return variant_error(fmt::format("rendered output of all passes exceeds {} bytes", limits::kMaxPlanWgslBytes));
  }

  Status bind(const Pass& pass, const std::vector<ResolvedBinding>& resolved, const Scope& scope, PlanPass& made) {
    for (std::size_t i = 0; i < pass.bindings.size(); ++i) {
      const Binding& binding = pass.bindings[i];
      PlanBinding entry;
      entry.name = binding.name;
      entry.access = binding.access;
      entry.source = binding.source;
      Status status = binding.source == PlanBinding::Source::kUniform ? bind_uniform(binding, scope, entry)
                                                                      : bind_storage(binding, resolved[i], entry);
      if (!status.ok()) return pass_error(status.error(), made.id);
      made.bindings.push_back(std::move(entry));
    }
    return {};
  }

  Status bind_uniform(const Binding& binding, const Scope& scope, PlanBinding& entry) {
    PlanUniform uniform;
    if (plan_.empty) {
      uniform = zero_uniform(binding);
    } else {
      WGK_TRY(uniform, pack_uniform(binding, op_, inputs_.bound.scalars, scope, budget_));
    }
    entry.index = static_cast<std::uint32_t>(plan_.uniforms.size());
    entry.size_bytes = uniform.bytes.size();
    plan_.uniforms.push_back(std::move(uniform));
    return {};
  }

  Status bind_storage(const Binding& binding, const ResolvedBinding& resolved, PlanBinding& entry) const {
    std::uint64_t bytes = 0;
    if (binding.source == PlanBinding::Source::kScratch) {
      entry.index = plan_.empty ? PlanBinding::kNotAllocated : binding.index;
      bytes = plan_.empty ? 0 : plan_.scratch[binding.index].storage_bytes;
    } else {
      const auto tensor = inputs_.tensor_of_port[binding.index];
      if (!tensor) return Error{ErrorCode::kRequest, fmt::format("Missing resource for binding {}", binding.name)};
      entry.index = *tensor;
      bytes = plan_.tensors[*tensor].storage_bytes;
    }
    if (!plan_.empty) WGK_CHECK(check_fixed_length(binding, resolved, bytes));
    entry.size_bytes = base::storage_buffer_size(bytes);
    entry.element_type = resolved.element_type;
    entry.fixed_length = resolved.fixed_length;
    entry.element_align = element_stride(resolved.element_type).value_or(kWidestElement);
    return {};
  }

  /// Only what is dispatched must fit: a skipped pass binds nothing.
  Status check_binding_sizes(const PlanPass& pass) const {
    for (const PlanBinding& binding : pass.bindings) {
      if (binding.source == PlanBinding::Source::kUniform || pass.skipped()) continue;
      const bool scratch = binding.source == PlanBinding::Source::kScratch;
      const auto what = [&] {
        return scratch ? fmt::format("{}: scratch \"{}\"", op_, plan_.scratch[binding.index].id)
                       : fmt::format("{}: tensor \"{}\"", op_, plan_.tensors[binding.index].key);
      };
      if (scratch) WGK_CHECK(check_bytes(inputs_.profile, "maxBufferSize", binding.size_bytes, what));
      WGK_CHECK(check_bytes(inputs_.profile, "maxStorageBufferBindingSize", binding.size_bytes, what));
    }
    return {};
  }

  /// The largest alignment that WGSL asks of an array element.
  static constexpr std::uint64_t kWidestElement = 16;

  const PassInputs& inputs_;
  const std::string& op_;
  Environment& environment_;
  Budget& budget_;
  Plan& plan_;
  DispatchLimits dispatch_limits_;
  Budget render_budget_;
  std::size_t wgsl_bytes_ = 0;
  std::uint64_t detail_bytes_ = 0;
  std::vector<RepeatFrame> frames_;
  std::unordered_set<std::string> ids_;
};

}  // namespace

Status make_passes(const PassInputs& inputs, Environment& environment, Budget& budget, Plan& plan) {
  return PassMaker(inputs, environment, budget, plan).make_all();
}

}  // namespace wgk::plan
