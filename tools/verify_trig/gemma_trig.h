// C++ twin of kernels/com.microsoft.GemmaRotaryEmbedding/build/webgpu/gemma-trig.wgsl.jinja: the same operations in
// the same order, so that an exhaustive check of this file is a check of the kernel: float32 results count only where they
// stay clear of a midpoint by more than twice their error, however a device rounds. Change both together.
#pragma once

#include <cstdint>

namespace wgk::verify_trig {

/// Bits of two float16 values.
struct SinCosHalf {
  std::uint32_t cosine = 0;
  std::uint32_t sine = 0;
};

/// Correctly rounded float16 cosine and sine of the float32 with these bits; 0x7e00 for NaN and infinities.
SinCosHalf gemma_sin_cos(std::uint32_t angle_bits);

}  // namespace wgk::verify_trig
