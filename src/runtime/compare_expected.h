// The comparison rule of test.json.
#pragma once

#include <string>
#include <string_view>

#include <wgk/tensor.hpp>

#include "package/cases.h"

namespace wgk::runtime {

/// Compares one output with what the case expects, values included when the case gives them (package-format section
/// 16). `nan_allowed`: NaN may stand anywhere because nothing says where it is expected. Empty: they agree.
std::string compare_expected(std::string_view key, const package::ExpectedTensor& want, const HostTensor& got,
                             bool nan_allowed);

}  // namespace wgk::runtime
