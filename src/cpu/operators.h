// The operators that the CPU path computes fast. src/ops has their contracts, and the references that tests compare
// with; both share no arithmetic with this.
#pragma once

#include <string_view>

#include <wgk/status.hpp>

#include "cpu/thread_pool.h"
#include "ops/operator.h"

namespace wgk::cpu {

/// The outputs of a call in the manifest's order. Output tensors that are there already, with the right key, dtype and
/// shape, are written over; the call's inputs must not be among them. Needs host data. Refuses a call that breaks the
/// contract of shapes and dtypes before anything is written; positions outside the cache leave their pairs as they are.
/// Error: kRequest.
using Compute = Status (*)(const ops::OpCall& call, ThreadPool& threads, ops::OpOutputs& outputs);

/// nullptr for an operator that only the reference knows.
Compute find_compute(std::string_view id);

}  // namespace wgk::cpu
