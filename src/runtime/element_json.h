// One element of a tensor from a JSON value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <wgk/tensor.hpp>

#include "base/json.h"

namespace wgk::runtime {

/// Writes `value` as one element of `dtype` to `out`. Floats are rounded once, to nearest even. Returns what is wrong
/// with it ("1.5 must be an integer"), or nothing.
std::optional<std::string> write_element(const base::Json& value, DType dtype, std::byte* out);

/// The same for an element given by its bits, as an unsigned word of the element's width.
std::optional<std::string> write_element_bits(const base::Json& value, DType dtype, std::byte* out);

}  // namespace wgk::runtime
