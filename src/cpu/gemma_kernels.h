// The inner loops of GemmaRotaryEmbedding, compiled for every instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wgk::cpu {

/// Cosine and sine of `count` angles, correctly rounded to float16 and kept as float32.
void gemma_factors(const float* angles, std::size_t count, float* cos, float* sin);

/// out[i] = round(round(value[i] * cos[i]) + round(rotated[i] * sin[i])), to float16; NaN is 0x7e00.
void gemma_rotate(const std::uint16_t* value, const std::uint16_t* rotated, const float* cos, const float* sin,
                  std::size_t count, std::uint16_t* out);

}  // namespace wgk::cpu
