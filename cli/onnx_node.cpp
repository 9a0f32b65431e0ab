// wgk onnx-node: the description of an ONNX node becomes a request.
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <wgk/onnx_node.hpp>

#include "attribute_text.h"
#include "cli.h"
#include "package_flags.h"

namespace wgk::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string node;
  std::string package;
  std::string output;
  bool json = false;
  PackageFlags source;
};

/// The "data" that the description gives for the value with this name, if any.
std::optional<Json> data_of(const Json& inputs, const std::string& name) {
  for (const auto& [key, input] : inputs.items()) {
    if (!input.is_object() || !input.contains("data")) continue;
    if (input.value("name", inputs.is_object() ? key : std::string()) == name) return input["data"];
  }
  return std::nullopt;
}

std::string request_text(const Package& package, const OnnxNode& node, const OnnxCall& call, const Json& description) {
  Json request = Json::object();
  if (!node.name.empty()) request["name"] = node.name;
  request["provenance"] = {{"source", "ONNX node " + node.op()}, {"package", package.op()}};
  request["inputs"] = Json::object();
  for (const auto& [key, name] : call.inputs) {
    const TensorSpec& spec = call.spec.inputs.at(key);
    const auto data = data_of(description.value("inputs", Json::array()), name);
    request["inputs"][key] = {{"dtype", dtype_name(spec.dtype)},
                              {"shape", spec.shape},
                              {"data", data ? *data : Json{{"kind", "fill"}, {"value", 0}}}};
  }
  request["attrs"] = attributes_json(call.spec.attrs);
  if (!call.spec.args.empty()) request["args"] = attributes_json(call.spec.args);
  request["outputs"] = Json::array();
  for (const auto& output : call.outputs) request["outputs"].push_back(output.first);
  return request.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> convert(const Options& options) {
  const auto text = read_text(options.node);
  if (!text) return text.error();
  const auto node = OnnxNode::from_json(*text);
  if (!node) return node.error();
  LoadOptions load;
  load.require_all_templates = false;
  const auto package = options.source.load(options.package.empty() ? node->op() : options.package, load);
  if (!package) return package.error();
  const auto call = map_onnx_node(*package, *node);
  if (!call) return call.error();
  return request_text(*package, *node, *call, Json::parse(*text));
}

int run(const Options& options) {
  const auto text = convert(options);
  return text ? deliver(*text, options.output, options.json) : report(text.error(), options.json);
}

}  // namespace

void add_onnx_node(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("onnx-node", "Turn the description of an ONNX node into a request");
  command->add_option("NODE", options->node, "JSON file with the node, or - for standard input")->required();
  command->add_option("--package", options->package, "Package to map to; default: the operator's own")
      ->type_name("PACKAGE");
  options->source.add_to(*command);
  command->add_option("--output", options->output, "Write the request to this file instead")
      ->check(file_to_write())
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Errors as JSON too (the request always is)");
  command->footer("Example:\n  wgk onnx-node node.json | wgk explain ai.onnx.RotaryEmbedding --request - --device cpu");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
