// Output shapes are expressions over the inputs; dtypes follow the type variables.
#include "plan/infer_outputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "plan/brief_text.h"
#include "plan/derive.h"
#include "plan/dtypes.h"
#include "plan/evaluate.h"

namespace wgk::plan {
namespace {

using jinja::Value;
using package::Direction;
using package::Manifest;
using package::Port;

Error output_error(const Manifest& manifest, const Port& port, ErrorCode code, std::string_view what) {
  return Error{code, fmt::format("{}: output \"{}\" {}", manifest.op, port.key, what)};
}

/// The shape that a value spells: a list of integers >= 0.
std::optional<Shape> shape_from(const Value& value) {
  if (value.kind() != Value::Kind::kList) return std::nullopt;
  Shape shape;
  for (const Value& dim : value.as_list()) {
    if (!dim.is_number()) return std::nullopt;
    const double number = dim.as_number();
    if (!(number >= 0) || std::floor(number) != number) return std::nullopt;
    // A dimension that int64 cannot hold is a valid integer all the same; the range check words it.
    shape.push_back(number < 9.0e18 ? static_cast<std::int64_t>(number) : std::int64_t{-1});
  }
  return shape;
}

/// Infers one output after another, all from the same names: outputs that were inferred are not visible yet.
class Inference {
 public:
  Inference(const Manifest& manifest, const jinja::Scope& scope, BoundRequest& bound, jinja::Budget& budget)
      : manifest_(manifest), scope_(scope), bound_(bound), budget_(budget) {}

  Status infer(std::size_t index) {
    const Port& port = manifest_.ports[index];
    std::optional<BoundTensor>& tensor = bound_.tensors[index];
    if (!port.shape) {
      if (tensor) return {};
      return output_error(manifest_, port, ErrorCode::kRequest,
                          fmt::format("has no shape expression — pass \"{}\" as an explicit destination, or declare an "
                                      "outputs[].shape for it in the manifest.",
                                      port.key));
    }
    WGK_TRY(Shape shape, infer_shape(port));
    if (tensor) return check_given(port, *tensor, shape);
    WGK_TRY(const DType logical, infer_dtype(port));
    BoundTensor inferred{logical, port.storage.value_or(logical), std::move(shape), 1};
    const auto elements = checked_elements(inferred.shape);
    if (!elements) return shape_out_of_range(manifest_, port);
    inferred.elements = *elements;
    record_dtype(port, inferred, bound_);
    tensor = std::move(inferred);
    return {};
  }

 private:
  Result<Shape> infer_shape(const Port& port) {
    WGK_TRY(const Value value, evaluate_or_fail(*port.shape, manifest_.op, scope_, budget_));
    auto shape = shape_from(value);
    if (!shape) {
      return output_error(manifest_, port, ErrorCode::kRequest,
                          fmt::format("shape evaluated to {} (expected non-negative integers)", compact_text(value)));
    }
    if (!checked_elements(*shape)) return shape_out_of_range(manifest_, port);
    return *std::move(shape);
  }

  Status check_given(const Port& port, const BoundTensor& tensor, const Shape& inferred) {
    if (tensor.shape == inferred) return {};
    return output_error(
        manifest_, port, ErrorCode::kRequest,
        fmt::format("has shape {}, not the inferred shape {}", to_string(tensor.shape), to_string(inferred)));
  }

  Result<DType> infer_dtype(const Port& port) {
    if (port.dtype.empty()) return DType::kFloat32;
    if (const NamedDtype* known = bound_.find_dtype(port.dtype)) return known->logical;
    if (const auto concrete = dtype_from_name(port.dtype); concrete && !is_type_variable(port.dtype)) return *concrete;
    const auto allowed = allowed_dtypes(manifest_, port.dtype);
    if (const auto code = cast_target()) return dtype_of_cast(port, *code, allowed);
    if (allowed && allowed->size() == 1) return allowed->front();
    for (std::size_t i = 0; allowed && i < manifest_.ports.size(); ++i) {
      const auto& input = bound_.tensors[i];
      if (manifest_.ports[i].direction == Direction::kOutput || !input) continue;
      if (std::find(allowed->begin(), allowed->end(), input->storage) != allowed->end()) return input->storage;
    }
    return output_error(manifest_, port, ErrorCode::kRequest,
                        fmt::format("dtype \"{}\" is a constraint var with no bound input", port.dtype));
  }

  bool is_type_variable(const std::string& name) const {
    return std::any_of(manifest_.type_vars.begin(), manifest_.type_vars.end(),
                       [&](const auto& variable) { return variable.first == name; });
  }

  /// The value of a required attribute `to` of a standard ONNX operator (Cast and its like).
  std::optional<double> cast_target() const {
    if (manifest_.domain != "ai.onnx") return std::nullopt;
    const auto required = std::any_of(manifest_.attributes.begin(), manifest_.attributes.end(),
                                      [](const auto& decl) { return decl.name == "to" && decl.required; });
    const Value* to = bound_.attributes.member("to");
    if (!required || to == nullptr || !to->is_number()) return std::nullopt;
    return to->as_number();
  }

  Result<DType> dtype_of_cast(const Port& port, double code, const std::optional<std::vector<DType>>& allowed) {
    const auto dtype = dtype_from_onnx_code(code);
    if (dtype && (!allowed || std::find(allowed->begin(), allowed->end(), *dtype) != allowed->end())) return *dtype;
    return output_error(
        manifest_, port, ErrorCode::kRequest,
        fmt::format("dtype code {} of attribute to is not allowed by type constraint {} = {}",
                    brief_text(Value::number(code)), port.dtype, allowed ? dtype_list_text(*allowed) : "any dtype"));
  }

  const Manifest& manifest_;
  const jinja::Scope& scope_;
  BoundRequest& bound_;
  jinja::Budget& budget_;
};

bool is_requested(const Port& port, const PlanRequest& request) {
  return !port.optional || request.outputs.count(port.key) != 0 ||
         std::find(request.wanted_outputs.begin(), request.wanted_outputs.end(), port.key) !=
             request.wanted_outputs.end();
}

}  // namespace

Status infer_outputs(const Manifest& manifest, const PlanRequest& request, Environment& environment,
                     BoundRequest& bound, jinja::Budget& budget) {
  std::vector<std::size_t> outputs;
  std::vector<const package::Formula*> shapes;
  for (std::size_t i = 0; i < manifest.ports.size(); ++i) {
    const Port& port = manifest.ports[i];
    if (port.direction != Direction::kOutput || !is_requested(port, request)) continue;
    outputs.push_back(i);
    if (port.shape) shapes.push_back(&*port.shape);
  }
  jinja::Scope scope(&environment.namespaces());
  evaluate_reached_derives(manifest.derives, shapes, environment, scope, budget);
  Inference inference(manifest, scope, bound, budget);
  for (const std::size_t index : outputs) WGK_CHECK(inference.infer(index));
  environment.set_namespace("derive", jinja::Value::map({}));
  return {};
}

}  // namespace wgk::plan
