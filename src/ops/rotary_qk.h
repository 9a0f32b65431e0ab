// RotaryEmbeddingQK: the queries and keys of a layer, each rotated as RotaryEmbedding rotates its x.
#pragma once

#include "ops/operator.h"

namespace wgk::ops {

Status rotary_qk_check(const OpCall& call, const DeviceProfile* profile);
Result<OpOutputs> rotary_qk_reference(const OpCall& call);
std::vector<Mismatch> rotary_qk_compare(const OpCall& call, const OpOutputs& expected, const OpOutputs& got);

}  // namespace wgk::ops
