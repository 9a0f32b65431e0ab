// wgk run: one call of a kernel.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/kernel.hpp>
#include <wgk/package.hpp>

#include "cli.h"
#include "package_flags.h"
#include "tensor_text.h"

namespace wgk::cli {
namespace {

struct Options {
  std::string package;
  std::string request;
  std::vector<std::string> attributes;
  std::vector<std::string> arguments;
  std::vector<std::string> tunables;
  std::string variant;
  std::string check;  ///< empty: as the request says, which is full unless it says none
  std::string output;
  bool bits = false;
  bool json = false;
  DeviceFlags device;
  PackageFlags source;
};

std::string result_json(const Kernel& kernel, const RunResult& result, bool bits) {
  std::string out =
      fmt::format("{{\"op\":{},\"variant\":{},\"device\":{},\"outputs\":{{", json_string(kernel.package().op()),
                  json_string(result.variant), device_json(kernel.device()));
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const auto& [key, tensor] = result.outputs[i];
    out += fmt::format("{}{}:{}", i == 0 ? "" : ",", json_string(key), tensor_to_json(tensor, bits));
  }
  out += "}}\n";
  return out;
}

std::string result_text(const Kernel& kernel, const RunResult& result) {
  std::string out =
      fmt::format("{}: variant {} on {}{}\n", kernel.package().op(), result.variant, device_text(kernel.device()),
                  result.dispatched || kernel.device().kind() == DeviceKind::kCpu ? "" : " (nothing to dispatch)");
  for (const auto& [key, tensor] : result.outputs) {
    out += fmt::format("{}: {} {}\n{}", key, dtype_name(tensor.dtype), to_string(tensor.shape), tensor_text(tensor));
  }
  return out;
}

/// Of all tensors and scratch.
std::uint64_t bytes_of(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const PlanTensor& tensor : plan.tensors) bytes += tensor.storage_bytes;
  for (const PlanScratch& scratch : plan.scratch) bytes += scratch.storage_bytes;
  return bytes;
}

Result<std::string> run_text(const Options& options) {
  // The request is read and the package loaded before the device is opened: mistakes in them are found without one.
  auto package = options.source.load(options.package);
  if (!package) return package.error();
  auto request = read_request(options.request);
  if (!request) return request.error();
  RunOptions& run = request->options;
  if (auto s = apply_assignments(options.attributes, "--attr", run.attrs); !s) return s.error();
  if (auto s = apply_assignments(options.arguments, "--arg", run.args); !s) return s.error();
  if (auto s = apply_assignments(options.tunables, "--tunable", run.tunables); !s) return s.error();
  run.variant = options.variant;
  if (!options.check.empty()) run.check = options.check == "none" ? Check::kNone : Check::kFull;

  Watchdog watchdog(options.device.timeout_seconds, options.json);
  auto device = options.device.open({&*package, 1});
  if (!device) return device.error();
  const Kernel kernel(*device, *package);
  // Planning is bounded by itself. What does not plan does not run either, and run() words the error.
  if (const auto plan = kernel.plan(request->inputs, run)) watchdog.limit_memory(bytes_of(*plan));
  const auto result = kernel.run(request->inputs, run);
  if (!result) return result.error();
  watchdog.stop();
  const bool as_json = options.json || !options.output.empty();
  return as_json ? result_json(kernel, *result, options.bits) : result_text(kernel, *result);
}

int run(const Options& options) {
  const auto text = run_text(options);
  return text ? deliver(*text, options.output, options.json) : report(text.error(), options.json);
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run a kernel on the tensors of a request");
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
      ->check(CLI::IsMember({"full", "none"}))
      ->capture_default_str();
  options->device.add_to(*command);
  options->device.add_tuning_to(*command);
  command->add_flag("--bits", options->bits, "Print floats as their bits");
  command->add_option("--output", options->output, "Write the JSON result to this file instead")
      ->check(file_to_write())
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n  wgk run ai.onnx.RotaryEmbedding --request rope.json --attr interleaved=1 --device software --json");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
