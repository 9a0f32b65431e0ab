// The functions of the language that know shapes and dtypes (package-format 6.7).
#pragma once

#include <string>
#include <vector>

#include <wgk/device_profile.hpp>

#include "jinja/scope.h"

namespace wgk::plan {

/// A scope, with one outer scope of its own, of every function of package-format 6.7 and DISPATCH_FOLD_WIDTH. `f16Ok` and `f16Allowed` ask `profile`,
/// which must outlive the scope. With `legacy` (1.0) it also has rank, cols and f16Allowed.
jinja::Scope make_vocabulary(const DeviceProfile& profile, bool legacy);

/// The names that make_vocabulary defines, in the document's order.
const std::vector<std::string>& vocabulary_names(bool legacy);

}  // namespace wgk::plan
