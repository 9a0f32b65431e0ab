// Facts about dtypes that planning needs.
#pragma once

#include <optional>
#include <string_view>

#include <wgk/tensor.hpp>

namespace wgk::plan {

/// The WGSL type of one element in storage: "f32", "u32", "vec2<u32>" for opaque int64 (package-format section 9).
std::string_view wgsl_scalar(DType storage);

/// The dtype with that ONNX TensorProto code; nullopt for one that the format does not have.
std::optional<DType> dtype_from_onnx_code(double code);

}  // namespace wgk::plan
