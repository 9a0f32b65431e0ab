// wgk explain: what a call would do, and why.
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>

#include "cli.h"
#include "package_flags.h"

namespace wgk::cli {
namespace {

struct Options {
  std::string package;
  std::string request;
  std::string limits;
  std::vector<std::string> attributes;
  std::vector<std::string> arguments;
  std::vector<std::string> tunables;
  std::string variant;
  std::string check;  ///< empty: as the request says, which is full unless it says none
  bool wgsl = false;
  bool json = false;
  DeviceFlags device;
  PackageFlags source;
};

std::string_view outcome_name(VariantDecision::Outcome outcome) {
  switch (outcome) {
    case VariantDecision::Outcome::kSelected:
      return "selected";
    case VariantDecision::Outcome::kEligible:
      return "eligible";
    case VariantDecision::Outcome::kDemoted:
      return "demoted";
    case VariantDecision::Outcome::kNotTried:
      return "not tried";
    case VariantDecision::Outcome::kRejected:
      break;
  }
  return "rejected";
}

std::string_view access_name(BindingAccess access) {
  switch (access) {
    case BindingAccess::kReadOnlyStorage:
      return "read-only-storage";
    case BindingAccess::kStorage:
      return "storage";
    case BindingAccess::kUniform:
      break;
  }
  return "uniform";
}

std::string tensors_text(const Plan& plan) {
  std::string out = "tensors\n";
  for (const PlanTensor& tensor : plan.tensors) {
    const bool projected = tensor.format.logical != tensor.format.storage;
    out += fmt::format("  {:<6} {:<14} {:<8} {:<16} {} bytes{}\n",
                       tensor.is_input ? (tensor.is_output ? "inout" : "input") : "output", tensor.key,
                       dtype_name(tensor.format.logical), to_string(tensor.shape), tensor.storage_bytes,
                       projected ? fmt::format(", stored as {}", dtype_name(tensor.format.storage)) : std::string());
  }
  for (const PlanScratch& scratch : plan.scratch) {
    out += fmt::format("  {:<6} {:<14} {:<8} {:<16} {} bytes\n", "scratch", scratch.id, dtype_name(scratch.storage),
                       to_string(scratch.shape), scratch.storage_bytes);
  }
  return out;
}

std::string decisions_text(const Plan& plan) {
  std::string out = "variants, in the order they were tried\n";
  for (const VariantDecision& decision : plan.decisions) {
    out += fmt::format("  {:<9} {} (priority {}){}{}\n", outcome_name(decision.outcome), decision.id, decision.priority,
                       decision.reason.empty() ? "" : ": ", decision.reason);
  }
  return out;
}

/// Variants that would come first on a device that has what they need. Those reasons begin in two ways.
std::string lacks_text(const Plan& plan) {
  std::string out;
  for (const VariantDecision& decision : plan.decisions) {
    if (decision.outcome == VariantDecision::Outcome::kSelected) break;
    const bool lacks = decision.reason.rfind("requires ", 0) == 0 || decision.reason.rfind("needs ", 0) == 0;
    if (decision.outcome != VariantDecision::Outcome::kRejected || !lacks) continue;
    out += fmt::format("  this device lacks what {} needs ({}); {} is used instead\n", decision.id, decision.reason,
                       plan.variant);
  }
  return out;
}

std::string derives_text(const Plan& plan) {
  if (plan.derives.empty()) return {};
  std::string out = "derived values\n";
  for (const PlanValue& value : plan.derives) out += fmt::format("  {} = {}\n", value.name, value.value);
  return out;
}

/// The four bytes of field `index`, as they lie in memory.
std::string field_bytes(const PlanUniform& uniform, std::size_t index) {
  std::string out;
  for (std::size_t i = 4 * index; i < 4 * index + 4 && i < uniform.bytes.size(); ++i) {
    out += fmt::format("{:02x}", std::to_integer<unsigned>(uniform.bytes[i]));
  }
  return out;
}

std::string uniform_text(const PlanUniform& uniform) {
  std::string out = fmt::format("      struct {} ({} bytes)\n", uniform.struct_name, uniform.bytes.size());
  for (std::size_t i = 0; i < uniform.fields.size(); ++i) {
    const PlanUniform::Field& field = uniform.fields[i];
    out += fmt::format("        +{:<3} {:<16} {:<4} {:<12} {}\n", 4 * i, field.name, field.type, field.value,
                       field_bytes(uniform, i));
  }
  return out;
}

/// What stands behind a binding: "tensor x", "scratch sums".
std::string resource_text(const Plan& plan, const PlanBinding& binding) {
  if (binding.source == PlanBinding::Source::kTensor && binding.index < plan.tensors.size()) {
    return "tensor " + plan.tensors[binding.index].key;
  }
  if (binding.source == PlanBinding::Source::kScratch) {
    return binding.index < plan.scratch.size() ? "scratch " + plan.scratch[binding.index].id : "scratch, not allocated";
  }
  return {};
}

std::string array_text(const PlanBinding& binding) {
  if (binding.element_type.empty()) return {};
  return binding.fixed_length == 0 ? fmt::format("array<{}>", binding.element_type)
                                   : fmt::format("array<{}, {}>", binding.element_type, binding.fixed_length);
}

std::string pass_text(const Plan& plan, const PlanPass& pass) {
  std::string out = fmt::format("pass {} ({}, entry point {})\n", pass.id, pass.shader, pass.entry_point);
  for (std::size_t i = 0; i < pass.bindings.size(); ++i) {
    const PlanBinding& binding = pass.bindings[i];
    out +=
        fmt::format("    @binding({}) {:<14} {:<17} {:<18} {} bytes  {}", i, binding.name, access_name(binding.access),
                    array_text(binding), binding.size_bytes, resource_text(plan, binding));
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
    if (binding.source == PlanBinding::Source::kUniform && binding.index < plan.uniforms.size()) {
      out += uniform_text(plan.uniforms[binding.index]);
    }
  }
  for (const auto& [input, output] : pass.view_alias) {
    out += fmt::format("    skipped when {} and {} are the same memory\n", pass.bindings.at(input).name,
                       pass.bindings.at(output).name);
  }
  out += fmt::format("    dispatch {} x {} x {} workgroups{}{}\n", pass.workgroups[0], pass.workgroups[1],
                     pass.workgroups[2], pass.skipped() ? " (skipped)" : "",
                     pass.submit_after ? ", then the GPU is waited for" : "");
  return out;
}

/// What was checked before planning, as `wgk run` would.
std::string contract_text(const Kernel& kernel, Check check) {
  if (!kernel.knows_operator()) {
    return fmt::format("only planned: wgk does not know the rules of {}, so those of the manifest alone were checked\n",
                       kernel.package().op());
  }
  return fmt::format("contract of {} checked{}\n", kernel.package().op(),
                     check == Check::kFull ? "" : ", values such as positions aside");
}

std::string plan_text(const Plan& plan, std::string_view device, const std::string& contract, bool with_wgsl) {
  std::string out = fmt::format("{}: variant {} for {}{}\n", plan.op, plan.variant, device,
                                plan.empty ? " (every output is empty: nothing is submitted)" : "");
  out += contract + tensors_text(plan) + derives_text(plan) + decisions_text(plan) + lacks_text(plan);
  for (const PlanPass& pass : plan.passes) out += pass_text(plan, pass);
  for (const PlanPass& pass : plan.passes) {
    if (with_wgsl) out += fmt::format("\n// {}\n{}\n", pass.id, pass.wgsl);
  }
  return out;
}

/// The device that was planned for, for people.
std::string target_text(const Options& options, const Device& device) {
  if (!options.limits.empty()) {
    const std::string& name = device.profile().adapter.device;
    return fmt::format("the device of {}{}", options.limits, name.empty() ? "" : " (" + name + ")");
  }
  return device.kind() == DeviceKind::kCpu ? "a device with WebGPU's default limits" : device_text(device);
}

/// The device to plan for: the one of the limits file, or a real one.
Result<Device> target(const Options& options) {
  if (options.limits.empty()) return options.device.open();
  const auto text = read_text(options.limits);
  if (!text) return text.error();
  auto profile = DeviceProfile::from_json(*text);
  if (!profile) return Error{ErrorCode::kUsage, fmt::format("{}: {}", options.limits, profile.error().message)};
  return Device::for_profile(*std::move(profile));
}

Result<std::string> explain(const Options& options) {
  LoadOptions load;
  load.require_all_templates = false;
  const auto package = options.source.load(options.package, load);
  if (!package) return package.error();
  auto request = read_request(options.request);
  if (!request) return request.error();
  RunOptions& run = request->options;
  if (auto s = apply_assignments(options.attributes, "--attr", run.attrs); !s) return s.error();
  if (auto s = apply_assignments(options.arguments, "--arg", run.args); !s) return s.error();
  if (auto s = apply_assignments(options.tunables, "--tunable", run.tunables); !s) return s.error();
  run.variant = options.variant;
  if (!options.check.empty()) run.check = options.check == "none" ? Check::kNone : Check::kFull;

  const Watchdog watchdog(options.device.timeout_seconds, options.json);
  const auto device = target(options);
  if (!device) return device.error();
  const Kernel kernel(*device, *package);
  if (const Status checked = kernel.check(request->inputs, run); !checked) return checked.error();
  const auto plan = kernel.plan(request->inputs, run);
  if (!plan) return plan.error();
  if (options.json) return plan->to_json(options.wgsl) + "\n";
  return plan_text(*plan, target_text(options, *device), contract_text(kernel, run.check), options.wgsl);
}

int run(const Options& options) {
  const auto text = explain(options);
  return text ? deliver(*text, {}, options.json) : report(text.error(), options.json);
}

}  // namespace

void add_explain(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("explain", "Show how a call would run: variants, bindings, uniforms, dispatch");
  command->add_option("PACKAGE", options->package, kPackageHelp)->required();
  options->source.add_to(*command);
  command->add_option("--request", options->request, "Request file, or - for standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("--attr", options->attributes, "Attribute; overrides the request")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
  command->add_option("--arg", options->arguments, "Scalar argument; overrides the request")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
  command->add_option("--tunable", options->tunables, "Tuning constant")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
  command->add_option("--variant", options->variant, "Use this variant instead of selecting one")->type_name("ID");
  command->add_option("--check", options->check, "none: do not check values such as positions")
      ->check(CLI::IsMember({"full", "none"}));
  command->add_option("--limits", options->limits, "Plan for the device profile in this file; no device is opened")
      ->type_name("FILE");
  options->device.add_to(*command);
  options->device.add_tuning_to(*command);
  command->add_flag("--wgsl", options->wgsl, "Print the shaders too");
  command->add_flag("--json", options->json, "Print the plan as JSON");
  command->footer("Example:\n  wgk explain ai.onnx.RotaryEmbedding --request rope.json --device cpu --wgsl");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
