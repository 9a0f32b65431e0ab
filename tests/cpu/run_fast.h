// Calls of the fast path for tests.
#pragma once

#include <stdexcept>
#include <string_view>

#include "cpu/operators.h"
#include "ops/call_builder.h"

namespace wgk::cpu::testing {

inline ops::OpOutputs run_fast(std::string_view id, const ops::OpCall& call, ThreadPool& threads) {
  const Compute compute = find_compute(id);
  if (compute == nullptr) throw std::logic_error("no fast path");
  ops::OpOutputs outputs;
  const Status status = compute(call, threads, outputs);
  if (!status.ok()) throw std::logic_error(status.error().message);
  return outputs;
}

inline ops::OpOutputs run_fast(std::string_view id, const ops::OpCall& call) {
  ThreadPool one(1);
  return run_fast(id, call, one);
}

inline bool is_float16_nan(std::uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }

}  // namespace wgk::cpu::testing
