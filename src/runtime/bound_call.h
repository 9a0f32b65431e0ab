// A call with its inputs found among the ports of the package.
#pragma once

#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/status.hpp>

#include "ops/operator.h"

namespace wgk::runtime {

/// The views of one call: what the operator checks and what the planner needs. Points into the caller's tensors.
struct BoundCall {
  ops::OpCall op_call;
  PlanRequest plan_request;
};

/// Maps names to bind keys and checks that every tensor has the bytes its shape needs. Error: kRequest.
Result<BoundCall> bind_call(const Package& package, const TensorMap& inputs, const RunOptions& options);

}  // namespace wgk::runtime
