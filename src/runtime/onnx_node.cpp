// An ONNX node in terms of a package: its ports in the manifest's order, which is the order of the operator's inputs.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <wgk/onnx_node.hpp>

#include "base/try.h"
#include "package/model.h"
#include "package/node.h"

namespace wgk::runtime {
namespace {

using package::Direction;
using package::Port;

/// Maps one node; its members are what every message needs.
class NodeMapper {
 public:
  NodeMapper(const package::Manifest& manifest, const OnnxNode& node) : manifest_(manifest), node_(node) {}

  Result<OnnxCall> run() {
    WGK_CHECK(check_operator());
    WGK_CHECK(map_inputs());
    WGK_CHECK(map_outputs());
    WGK_CHECK(map_attributes());
    return std::move(call_);
  }

 private:
  Error fail(std::string_view reason) const {
    const std::string node = node_.name.empty() ? std::string() : fmt::format("node \"{}\": ", node_.name);
    return Error{ErrorCode::kRequest, fmt::format("{}{}: {}", package::printable(node), manifest_.op, reason)};
  }

  Status check_operator() const {
    if (node_.op() != manifest_.op) {
      return fail(
          fmt::format("the node is a {}, the package computes another operator", package::printable(node_.op())));
    }
    if (!node_.opset || !manifest_.since_version || *node_.opset >= *manifest_.since_version) return {};
    return fail(fmt::format("the node is of opset {}, the package computes the operator as it is since {}",
                            *node_.opset, *manifest_.since_version));
  }

  std::vector<const Port*> ports(Direction other) const {
    std::vector<const Port*> out;
    for (const Port& port : manifest_.ports) {
      if (port.direction != other) out.push_back(&port);
    }
    return out;
  }

  std::string names(const std::vector<const Port*>& ports) const {
    std::string out;
    for (const Port* port : ports) out += fmt::format("{}{}", out.empty() ? "" : ", ", port->onnx_name);
    return out;
  }

  /// The port of the value at `index`: by the operator's name, else by the bind key, else by position.
  Result<const Port*> port_of(const std::vector<const Port*>& ports, const OnnxValue& value, std::size_t index,
                              std::string_view what) const {
    if (value.port.empty()) {
      if (index < ports.size()) return ports[index];
      return fail(
          fmt::format("{} {} has no counterpart: the operator has {} ({})", what, index, ports.size(), names(ports)));
    }
    std::vector<std::string> known;
    for (const Port* port : ports) {
      if (port->onnx_name == value.port) return port;
      known.push_back(port->onnx_name);
    }
    for (const Port* port : ports) {
      if (port->key == value.port) return port;
    }
    return fail(fmt::format("there is no {} \"{}\"{} (there are {})", what, package::printable(value.port),
                            package::suggestion(value.port, known), names(ports)));
  }

  Status map_inputs() {
    const auto inputs = ports(Direction::kOutput);
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const OnnxValue& value = node_.inputs[i];
      WGK_TRY(const Port* port, port_of(inputs, value, i, "input"));
      if (value.name.empty()) continue;
      if (!value.dtype || !value.shape) {
        return fail(fmt::format("input {} (\"{}\") needs a {}", port->onnx_name, package::printable(value.name),
                                !value.shape ? "shape" : "dtype"));
      }
      if (!call_.spec.inputs.emplace(port->key, TensorSpec{*value.dtype, *value.shape}).second) {
        return fail(fmt::format("input {} is given twice", port->onnx_name));
      }
      call_.inputs.emplace_back(port->key, value.name);
    }
    for (const Port* port : inputs) {
      if (port->optional || call_.spec.inputs.count(port->key) > 0) continue;
      return fail(fmt::format("input {} is missing; the inputs are {}", port->onnx_name, names(inputs)));
    }
    return {};
  }

  Status map_outputs() {
    const auto outputs = ports(Direction::kInput);
    std::set<std::string> given;
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      const OnnxValue& value = node_.outputs[i];
      WGK_TRY(const Port* port, port_of(outputs, value, i, "output"));
      if (value.name.empty()) continue;
      if (!given.insert(port->key).second) return fail(fmt::format("output {} is given twice", port->onnx_name));
      call_.outputs.emplace_back(port->key, value.name);
      if (value.dtype && value.shape) call_.spec.outputs.emplace(port->key, TensorSpec{*value.dtype, *value.shape});
      if (port->optional) call_.spec.wanted_outputs.push_back(port->key);
    }
    return {};
  }

  /// An attribute of the node is one of the manifest, or a scalar argument of that name.
  Status map_attributes() {
    std::vector<std::string> known;
    for (const auto& attribute : manifest_.attributes) known.push_back(attribute.name);
    for (const auto& scalar : manifest_.scalars) known.push_back(scalar.name);
    for (const auto& [name, value] : node_.attributes) {
      const bool declared = std::any_of(manifest_.attributes.begin(), manifest_.attributes.end(),
                                        [&, &wanted = name](const auto& a) { return a.name == wanted; });
      const bool scalar = std::any_of(manifest_.scalars.begin(), manifest_.scalars.end(),
                                      [&, &wanted = name](const auto& s) { return s.name == wanted; });
      if (!declared && !scalar) {
        std::string list;
        for (const std::string& other : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", other);
        return fail(fmt::format("there is no attribute \"{}\"{} ({})", package::printable(name),
                                package::suggestion(name, known), list.empty() ? "it has none" : "it has " + list));
      }
      (declared ? call_.spec.attrs : call_.spec.args).emplace(name, value);
    }
    for (const auto& attribute : manifest_.attributes) {
      if (!attribute.required || call_.spec.attrs.count(attribute.name) > 0) continue;
      return fail(fmt::format("attribute {} is missing", attribute.name));
    }
    return {};
  }

  const package::Manifest& manifest_;
  const OnnxNode& node_;
  OnnxCall call_;
};

}  // namespace
}  // namespace wgk::runtime

namespace wgk::inline v0 {

Result<OnnxCall> map_onnx_node(const Package& package, const OnnxNode& node) {
  return runtime::NodeMapper(package.impl()->manifest, node).run();
}

}  // namespace wgk::inline v0
