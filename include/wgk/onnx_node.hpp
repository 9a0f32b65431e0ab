// From a node of an ONNX graph to a call of a kernel: names are mapped, nothing is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/export.hpp>
#include <wgk/package.hpp>
#include <wgk/prepared.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::inline v0 {

/// One input or output of a node.
struct OnnxValue {
  std::string name;            ///< in the graph; empty: an optional input or output that is left out
  std::string port;            ///< the operator's own name for it ("cos_cache"); empty: it is told by its position
  std::optional<DType> dtype;  ///< inputs must have it; outputs may
  std::optional<Shape> shape;
};

/// A node as engines describe it (docs/onnx-node.md).
struct OnnxNode {
  std::string name;
  std::string op_type;
  std::string domain;                 ///< empty: ai.onnx
  std::optional<std::int64_t> opset;  ///< version of the domain that the model imports
  Attributes attributes;
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;

  /// "ai.onnx.RotaryEmbedding": the operator id, and so the id of the package.
  WGK_API std::string op() const;

  /// Reads the JSON form. Error: kRequest with the JSON pointer of the place.
  WGK_API static Result<OnnxNode> from_json(std::string_view text);
};

/// A node in terms of a package.
struct OnnxCall {
  CallSpec spec;  ///< for Kernel::prepare
  /// (bind key, name in the graph), in the order of the node; what is left out does not appear.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
};

/// Maps inputs and outputs by the operator's names where they are given and by position otherwise, and attributes by
/// name. Error: kRequest, with what is missing or unknown and what was meant.
WGK_API Result<OnnxCall> map_onnx_node(const Package& package, const OnnxNode& node);

}  // namespace wgk::inline v0
