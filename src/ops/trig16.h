// Cosine and sine of a float32 angle, correctly rounded to float16.
#pragma once

#include <wgk/tensor.hpp>

namespace wgk::ops {

/// Right for every finite angle; NaN for infinities and NaN.
Float16 cos_float16(float angle);
Float16 sin_float16(float angle);

}  // namespace wgk::ops
