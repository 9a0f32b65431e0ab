// Counts what C++ code of the test program allocates. The implementation of WebGPU has an allocator of its own.
#pragma once

#include <cstddef>

namespace wgk::test {

/// Calls of operator new on this thread so far.
std::size_t allocation_count();

}  // namespace wgk::test
