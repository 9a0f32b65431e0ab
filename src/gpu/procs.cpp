// The table of WebGPU functions in use.
#include "gpu/procs.h"

#include <atomic>

namespace wgk::gpu {
namespace {

const Procs kLinkedProcs;
std::atomic<const Procs*> current{&kLinkedProcs};

}  // namespace

const Procs& procs() { return *current.load(std::memory_order_acquire); }

ProcsOverride::ProcsOverride(const Procs& replacement) : previous_(current.exchange(&replacement)) {}
ProcsOverride::~ProcsOverride() { current.store(previous_); }

}  // namespace wgk::gpu
