// Correctly rounded float16 sine and cosine by floating point: double where its error cannot matter, MPFR elsewhere.
#pragma once

#include <cstdint>

#include "gemma_trig.h"

namespace wgk::verify_trig {

/// What gemma_sin_cos() must return for these float32 bits. Adds to `fallbacks` the number of values that MPFR decided.
/// Safe from any thread.
SinCosHalf oracle_sin_cos(std::uint32_t angle_bits, std::uint64_t& fallbacks);

}  // namespace wgk::verify_trig
