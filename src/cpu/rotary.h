// RotaryEmbedding and MRotaryEmbedding in all forms.
#pragma once

#include <wgk/status.hpp>

#include "cpu/thread_pool.h"
#include "ops/operator.h"
#include "ops/rotary.h"

namespace wgk::cpu {

Status compute_rotary(ops::RotaryOperator op, const ops::OpCall& call, ThreadPool& threads, ops::OpOutputs& outputs);

}  // namespace wgk::cpu
