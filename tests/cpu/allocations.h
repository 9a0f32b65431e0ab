// Counting what the program takes from the heap.
#pragma once

#include <cstddef>

namespace wgk::cpu::testing {

/// Bytes that operator new has given so far.
std::size_t allocated_bytes();

}  // namespace wgk::cpu::testing
