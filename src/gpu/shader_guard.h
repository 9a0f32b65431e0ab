// What the shader compiler of the implementation must not be given.
#pragma once

#include <string_view>

#include <wgk/status.hpp>

namespace wgk::gpu {

/// naga descends into nested code on the stack of the caller, without a limit that the stack is sure to bear: a shader
/// nested deeply enough ends the process. This counts brackets, chains of operators, else branches and declarations, as
/// the compiler would descend into them, and refuses what is far beyond any kernel (limits::kMaxShaderNesting and its
/// neighbours). It need not understand the text: what it counts wrongly in text that is not WGSL does not compile.
/// Error: kPackage, the reason only, with the line.
Status check_shader_nesting(std::string_view wgsl);

}  // namespace wgk::gpu
