// The reader of manifest dialect 1.0 (package-format section 3).
#pragma once

#include <wgk/status.hpp>

#include "package/model.h"
#include "package/node.h"

namespace wgk::package::v1 {

/// Normalises a parsed manifest without comments. Errors: kPackage.
Result<Manifest> read_manifest(const Document& document, std::vector<std::string>& warnings);

}  // namespace wgk::package::v1
