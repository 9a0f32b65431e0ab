// The plans of measuring itself: filling a buffer with values, and copying one to find the bandwidth of the device.
#pragma once

#include <cstdint>

#include <wgk/plan.hpp>

namespace wgk::gpu {

/// How the words of a buffer are made from their index. Values differ from word to word, since some devices compress
/// what is constant or draw less power for it.
enum class FillPattern : std::uint8_t {
  kFloat32,  ///< spread over [0, 8192), as angles of positions are
  kFloat16,  ///< two halves in [1, 2)
  kBytes,    ///< every byte 0 or 1: small integers and bools in whatever width
};

/// Fills the one tensor of the plan, a buffer of `bytes` (a multiple of 4).
Plan fill_plan(std::uint64_t bytes, FillPattern pattern);

/// Copies tensor 0 to tensor 1, `bytes` (a multiple of 16) each, as vec4<u32>; an invocation copies `vectors` of them,
/// a workgroup's width apart.
Plan copy_plan(std::uint64_t bytes, std::uint32_t vectors);

}  // namespace wgk::gpu
