// Tables of package-format sections 6.7 and 9.
#include "plan/dtypes.h"

#include <array>
#include <utility>

namespace wgk::plan {

std::string_view wgsl_scalar(DType storage) {
  switch (storage) {
    case DType::kFloat32:
      return "f32";
    case DType::kFloat16:
      return "f16";
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
      return "i32";
    case DType::kUint8:
    case DType::kBool:
    case DType::kUint32:
      return "u32";
    case DType::kInt64:
      return "vec2<u32>";
  }
  return "f32";
}

std::optional<DType> dtype_from_onnx_code(double code) {
  static constexpr std::array<std::pair<double, DType>, 9> kCodes{{{1, DType::kFloat32},
                                                                   {2, DType::kUint8},
                                                                   {3, DType::kInt8},
                                                                   {5, DType::kInt16},
                                                                   {6, DType::kInt32},
                                                                   {7, DType::kInt64},
                                                                   {9, DType::kBool},
                                                                   {10, DType::kFloat16},
                                                                   {12, DType::kUint32}}};
  for (const auto& [known, dtype] : kCodes) {
    if (known == code) return dtype;
  }
  return std::nullopt;
}

}  // namespace wgk::plan
