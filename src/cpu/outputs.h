// Memory for outputs.
#pragma once

#include <cstddef>
#include <string_view>

#include "ops/operator.h"

namespace wgk::cpu {

/// Makes output number `index`, which has that key and the dtype and shape of `model`. A tensor that is there already
/// and fits keeps its memory, and its old values: zeroing or copying them would cost as much as computing new ones.
void output_like(ops::OpOutputs& outputs, std::size_t index, std::string_view key, const HostTensor& model);

}  // namespace wgk::cpu
