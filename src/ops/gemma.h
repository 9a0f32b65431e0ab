// GemmaRotaryEmbedding: contract, reference and comparison.
#pragma once

#include "ops/operator.h"

namespace wgk::ops {

Status gemma_check(const OpCall& call, const DeviceProfile* profile);
Result<OpOutputs> gemma_reference(const OpCall& call);
std::vector<Mismatch> gemma_compare(const OpCall& call, const OpOutputs& expected, const OpOutputs& got);

}  // namespace wgk::ops
