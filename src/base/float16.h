// Conversions to binary16 that the public header does not need.
#pragma once

#include <wgk/tensor.hpp>

namespace wgk::base {

/// Rounds a double to binary16 once, to nearest with ties to even. Going through float would round twice and can end on
/// the other neighbour.
Float16 double_to_float16(double value);

}  // namespace wgk::base
