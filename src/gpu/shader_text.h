// Fitting WGSL to the implementation: its directives are checked, and one that naga does not know yet is taken out.
#pragma once

#include <string>
#include <string_view>

#include <wgk/device_profile.hpp>
#include <wgk/status.hpp>

namespace wgk::gpu {

/// The text to compile. naga has the subgroup functions but rejects `enable subgroups;`, so that name is removed on
/// devices with the feature "subgroups"; line numbers stay as they are. Error: the reason only, for example
/// "needs WGSL extension 'foo', which this WebGPU implementation does not offer".
Result<std::string> fit_shader(std::string_view wgsl, const DeviceProfile& profile);

}  // namespace wgk::gpu
