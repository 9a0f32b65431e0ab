// A digest of the float16 results of a call, for comparing adapters.
#pragma once

#include <string>

#include <wgk/kernel.hpp>

namespace wgk::runtime {

/// Lower-case hexadecimal SHA-256 over key, shape and elements of every float16 output, in order; empty when there is
/// none. Every NaN counts as 0x7e00 and -0 as +0: WGSL fixes neither, and the contract does not ask for them.
std::string float16_digest(const RunResult& result);

}  // namespace wgk::runtime
