// Which of the compiled instruction sets runs.
#pragma once

namespace wgk::cpu {

/// "AVX2", "NEON", …: the best that this machine has of those that were compiled.
const char* instruction_set();

}  // namespace wgk::cpu
