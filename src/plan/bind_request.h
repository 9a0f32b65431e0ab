// Binding a request to the ports of a manifest: names, dtypes and shapes (package-format section 10).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <wgk/package.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

#include "jinja/value.h"
#include "package/model.h"

namespace wgk::plan {

/// A tensor of the call, bound to a port.
struct BoundTensor {
  DType logical = DType::kFloat32;
  DType storage = DType::kFloat32;
  Shape shape;
  std::uint64_t elements = 1;
};

/// The dtype that a type variable or concrete dtype name stands for in this call.
struct NamedDtype {
  std::string name;
  DType logical = DType::kFloat32;
  DType storage = DType::kFloat32;
  std::string first_key;  ///< bind key of the tensor that decided it
};

struct BoundRequest {
  std::vector<std::optional<BoundTensor>> tensors;  ///< by port; nullopt: absent
  std::vector<NamedDtype> dtypes;                   ///< in the order in which ports decided them
  jinja::Value attributes;                          ///< the `attrs` namespace
  jinja::Value scalars;                             ///< the `args` namespace

  const NamedDtype* find_dtype(std::string_view name) const;
};

/// Checks everything that does not need the manifest's expressions and binds the inputs and the outputs the caller
/// gave. Error: kRequest.
Result<BoundRequest> bind_request(const package::Manifest& manifest, const PlanRequest& request);

/// The number of elements; nullopt when rank, a dimension or the product is out of range (package-format section 17).
std::optional<std::uint64_t> checked_elements(const Shape& shape);

/// `⟨op⟩: tensor "⟨k⟩" shape is out of range`.
Error shape_out_of_range(const package::Manifest& manifest, const package::Port& port);

/// The dtypes that a name allows: nullopt for a type variable without constraint, one entry for a concrete dtype.
std::optional<std::vector<DType>> allowed_dtypes(const package::Manifest& manifest, const std::string& dtype);

/// "[float32, float16]".
std::string dtype_list_text(const std::vector<DType>& dtypes);

/// Records what a bound tensor says about its port's dtype name; a name that is known stays as it is.
void record_dtype(const package::Port& port, const BoundTensor& tensor, BoundRequest& bound);

}  // namespace wgk::plan
