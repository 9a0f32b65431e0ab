// The only place where the project includes the WebGPU C API, and the two conversions that every use of it needs.
#pragma once

#include <string>
#include <string_view>

#include <webgpu/webgpu.h>
#include <webgpu/wgpu.h>

namespace wgk::gpu {

/// The view is valid as long as the text is.
inline WGPUStringView to_wgpu(std::string_view text) { return {text.data(), text.size()}; }

/// Copies, because strings given to callbacks die with the callback (webgpu-headers, Ownership).
inline std::string from_wgpu(WGPUStringView view) {
  if (view.data == nullptr) return {};
  return view.length == WGPU_STRLEN ? std::string(view.data) : std::string(view.data, view.length);
}

}  // namespace wgk::gpu
