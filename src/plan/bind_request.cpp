// The checks of package-format 10.1 to 10.5, in that order.
#include "plan/bind_request.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <wgk/limits.hpp>

#include "base/checked.h"
#include "base/try.h"
#include "plan/attributes.h"

namespace wgk::plan {
namespace {

using package::Direction;
using package::Manifest;
using package::Port;

Error request_error(std::string message) { return Error{ErrorCode::kRequest, std::move(message)}; }

const Port* find_port(const Manifest& manifest, std::string_view key) {
  const auto found =
      std::find_if(manifest.ports.begin(), manifest.ports.end(), [&](const Port& port) { return port.key == key; });
  return found == manifest.ports.end() ? nullptr : &*found;
}

Status check_nothing_missing(const Manifest& manifest, const PlanRequest& request) {
  for (const Port& port : manifest.ports) {
    if (port.direction == Direction::kOutput || port.optional || request.inputs.count(port.key) != 0) continue;
    return request_error(fmt::format("WebGPU op {} missing required arg {}", manifest.op, port.key));
  }
  for (const package::ScalarArg& arg : manifest.scalars) {
    if (!arg.required || request.args.count(arg.name) != 0) continue;
    return request_error(fmt::format("WebGPU op {} missing required arg {}", manifest.op, arg.name));
  }
  return {};
}

Error not_a_tensor(const Manifest& manifest, std::string_view key) {
  return request_error(fmt::format("{}: \"{}\" is not a tensor arg of this op", manifest.op, key));
}

Status check_tensor_names(const Manifest& manifest, const PlanRequest& request) {
  for (const auto& [key, spec] : request.inputs) {
    const Port* port = find_port(manifest, key);
    if (port == nullptr) return not_a_tensor(manifest, key);
    if (port->direction == Direction::kOutput) {
      return request_error(fmt::format("{}: \"{}\" is an output, not an input", manifest.op, key));
    }
  }
  for (const auto& [key, spec] : request.outputs) {
    const Port* port = find_port(manifest, key);
    if (port == nullptr) return not_a_tensor(manifest, key);
    if (port->direction == Direction::kInput) {
      return request_error(fmt::format("{}: \"{}\" is an input, not an output", manifest.op, key));
    }
    if (port->direction == Direction::kInout) {
      const auto input = request.inputs.find(key);
      if (input == request.inputs.end() || !(input->second == spec)) {
        return request_error(
            fmt::format("{}: \"{}\" is changed in place, so its output is its input", manifest.op, key));
      }
    }
  }
  for (const std::string& key : request.wanted_outputs) {
    const Port* port = find_port(manifest, key);
    if (port == nullptr) return not_a_tensor(manifest, key);
    if (port->direction == Direction::kInput) {
      return request_error(fmt::format("{}: \"{}\" is an input, not an output", manifest.op, key));
    }
  }
  return {};
}

Status check_scalar_names(const Manifest& manifest, const Attributes& given) {
  for (const auto& [name, value] : given) {
    const bool known = std::any_of(manifest.scalars.begin(), manifest.scalars.end(),
                                   [&key = name](const package::ScalarArg& arg) { return arg.name == key; });
    if (known) continue;
    std::vector<std::string> names;
    for (const package::ScalarArg& arg : manifest.scalars) names.push_back(arg.name);
    for (const Port& port : manifest.ports) names.push_back(port.key);
    std::sort(names.begin(), names.end());
    return request_error(fmt::format("{}: unknown arg \"{}\" — not declared in manifest.args (known: {})", manifest.op,
                                     name, fmt::join(names, ", ")));
  }
  return {};
}

bool contains(const std::vector<DType>& dtypes, DType dtype) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

/// Resolves logical and storage dtype of one port from the dtype the caller gave, or says why not.
class DtypeCheck {
 public:
  DtypeCheck(const Manifest& manifest, const Port& port, DType given)
      : manifest_(manifest), port_(port), given_(given), allowed_(allowed_dtypes(manifest, port.dtype)) {}

  Result<BoundTensor> resolve() const {
    if (given_ == DType::kInt64 && allowed_ && !contains(*allowed_, DType::kInt64)) {
      return request_error(fmt::format("tensor \"{}\" does not admit int64", port_.key));
    }
    if (port_.storage) return resolve_explicit_storage(*port_.storage);
    if (!allowed_ || contains(*allowed_, given_)) return bound(given_, given_);
    if (is_concrete()) {
      return fault(fmt::format("has dtype {}, not the declared concrete dtype {}", dtype_name(given_),
                               dtype_name(allowed_->front())));
    }
    if (allowed_->size() == 1 && allowed_->front() == DType::kInt64) {
      return fault(fmt::format("requires int64 storage for logical int64, got {}", dtype_name(given_)));
    }
    return fault(fmt::format("has dtype {}, not allowed by type constraint {} = {}", dtype_name(given_), port_.dtype,
                             dtype_list_text(*allowed_)));
  }

  Error fault(std::string_view what) const {
    return request_error(fmt::format("{}: {} \"{}\" {}", manifest_.op,
                                     port_.direction == Direction::kOutput ? "output" : "input", port_.key, what));
  }

 private:
  bool is_concrete() const { return port_.dtype.empty() || dtype_from_name(port_.dtype).has_value(); }

  static BoundTensor bound(DType logical, DType storage) { return BoundTensor{logical, storage, {}, 1}; }

  /// The logical dtype of a port with explicit storage: the storage itself where the port allows it, else the one
  /// dtype that is projected onto it.
  DType logical_for(DType storage) const {
    if (!allowed_ || contains(*allowed_, storage)) return storage;
    return contains(*allowed_, DType::kInt64) ? DType::kInt64 : allowed_->front();
  }

  Result<BoundTensor> resolve_explicit_storage(DType storage) const {
    const DType logical = logical_for(storage);
    const bool projected = given_ == DType::kInt64 && logical == DType::kInt64;
    if (!projected && given_ != storage) {
      return fault(fmt::format("has WebGPU storage dtype {}, not the declared {} storage ABI", dtype_name(given_),
                               dtype_name(storage)));
    }
    return bound(logical, storage);
  }

  const Manifest& manifest_;
  const Port& port_;
  DType given_;
  std::optional<std::vector<DType>> allowed_;
};

Status bind_tensor(const Manifest& manifest, std::size_t index, const TensorSpec& spec, BoundRequest& bound) {
  const Port& port = manifest.ports[index];
  const DtypeCheck check(manifest, port, spec.dtype);
  WGK_TRY(BoundTensor tensor, check.resolve());
  if (const NamedDtype* known = bound.find_dtype(port.dtype); known != nullptr && known->logical != tensor.logical) {
    return check.fault(
        fmt::format("resolves to logical dtype {}, but shared type variable {} already resolved to {} from \"{}\"",
                    dtype_name(tensor.logical), port.dtype, dtype_name(known->logical), known->first_key));
  }
  const auto elements = checked_elements(spec.shape);
  if (!elements) return shape_out_of_range(manifest, port);
  tensor.shape = spec.shape;
  tensor.elements = *elements;
  record_dtype(port, tensor, bound);
  bound.tensors[index] = std::move(tensor);
  return {};
}

Status bind_tensors(const Manifest& manifest, const PlanRequest& request, BoundRequest& bound) {
  bound.tensors.resize(manifest.ports.size());
  for (std::size_t i = 0; i < manifest.ports.size(); ++i) {
    const Port& port = manifest.ports[i];
    const auto& given = port.direction == Direction::kOutput ? request.outputs : request.inputs;
    const auto found = given.find(port.key);
    if (found != given.end()) WGK_CHECK(bind_tensor(manifest, i, found->second, bound));
  }
  return {};
}

}  // namespace

const NamedDtype* BoundRequest::find_dtype(std::string_view name) const {
  const auto found = std::find_if(dtypes.begin(), dtypes.end(), [&](const NamedDtype& d) { return d.name == name; });
  return found == dtypes.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> checked_elements(const Shape& shape) {
  if (shape.size() > limits::kMaxRank) return std::nullopt;
  std::optional<std::uint64_t> product = 1;
  bool empty = false;
  for (const std::int64_t dim : shape) {
    if (dim < 0 || static_cast<std::uint64_t>(dim) > limits::kMaxElements) return std::nullopt;
    empty = empty || dim == 0;
    if (dim == 0 || !product) continue;
    product = base::checked_mul(*product, static_cast<std::uint64_t>(dim));
    if (product && *product > limits::kMaxElements) product = std::nullopt;
  }
  if (empty) return 0;
  return product;
}

Error shape_out_of_range(const Manifest& manifest, const Port& port) {
  return request_error(fmt::format("{}: tensor \"{}\" shape is out of range", manifest.op, port.key));
}

std::optional<std::vector<DType>> allowed_dtypes(const Manifest& manifest, const std::string& dtype) {
  if (dtype.empty()) return std::vector<DType>{DType::kFloat32};
  for (const auto& [name, dtypes] : manifest.type_vars) {
    if (name == dtype) return dtypes.empty() ? std::nullopt : std::optional(dtypes);
  }
  if (const auto concrete = dtype_from_name(dtype)) return std::vector<DType>{*concrete};
  return std::nullopt;
}

std::string dtype_list_text(const std::vector<DType>& dtypes) {
  std::vector<std::string_view> names;
  for (const DType dtype : dtypes) names.push_back(dtype_name(dtype));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

void record_dtype(const Port& port, const BoundTensor& tensor, BoundRequest& bound) {
  if (port.dtype.empty() || bound.find_dtype(port.dtype) != nullptr) return;
  bound.dtypes.push_back(NamedDtype{port.dtype, tensor.logical, tensor.storage, port.key});
}

Result<BoundRequest> bind_request(const Manifest& manifest, const PlanRequest& request) {
  WGK_CHECK(check_nothing_missing(manifest, request));
  WGK_CHECK(check_tensor_names(manifest, request));
  WGK_CHECK(check_scalar_names(manifest, request.args));
  WGK_CHECK(check_tunable_overrides(manifest, request.tunables));
  BoundRequest bound;
  WGK_TRY(bound.attributes, bind_attributes(manifest, request.attributes));
  WGK_TRY(bound.scalars, bind_scalars(manifest, request.args));
  WGK_CHECK(bind_tensors(manifest, request, bound));
  return bound;
}

}  // namespace wgk::plan
