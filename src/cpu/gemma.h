// GemmaRotaryEmbedding.
#pragma once

#include <wgk/status.hpp>

#include "cpu/thread_pool.h"
#include "ops/operator.h"

namespace wgk::cpu {

Status compute_gemma(const ops::OpCall& call, ThreadPool& threads, ops::OpOutputs& outputs);

}  // namespace wgk::cpu
