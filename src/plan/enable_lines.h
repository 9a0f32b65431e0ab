// WGSL `enable` directives: adding the ones a text needs, refusing the ones a device lacks (package-format section 8).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <wgk/device_profile.hpp>

namespace wgk::plan {

/// What a WGSL text says about extensions, comments aside.
struct WgslExtensions {
  std::vector<std::string> enabled;  ///< names in `enable` directives, in order, without duplicates
  std::vector<std::string> missing;  ///< needed, but not enabled; in the order in which the lines are added
};

WgslExtensions scan_extensions(std::string_view wgsl);

/// The text with an `enable …;` line in front for every missing extension.
std::string add_enable_lines(std::string wgsl, const std::vector<std::string>& missing);

/// `enable f16; (requires device feature "shader-f16")`, comma-separated, for every enabled extension whose feature the
/// device lacks; empty when it has them all.
std::string unsupported_enables(const std::vector<std::string>& enabled, const DeviceProfile& profile);

}  // namespace wgk::plan
