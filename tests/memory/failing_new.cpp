// A file of its own, so that no caller sees through it and takes malloc and free for a pair that does not match.
#include "memory/failing_new.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t allocations_left = 0;  // 0: none fails
thread_local bool has_failed = false;
}  // namespace

void* operator new(std::size_t size) {
  if (allocations_left > 0 && --allocations_left == 0) {
    has_failed = true;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace wgk::test {

FailingNew::FailingNew(std::size_t nth) {
  has_failed = false;
  allocations_left = nth;
}
FailingNew::~FailingNew() { allocations_left = 0; }
bool FailingNew::failed() { return has_failed; }

}  // namespace wgk::test
