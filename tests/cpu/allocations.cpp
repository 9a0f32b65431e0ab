// operator new that counts. In a file of its own: a compiler that sees new and free side by side takes them for a
// mistake.
#include "cpu/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocated{0};

}  // namespace

std::size_t wgk::cpu::testing::allocated_bytes() { return allocated; }

void* operator new(std::size_t size) {
  allocated += size;
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
