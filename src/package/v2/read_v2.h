// The reader of manifest dialect 2.1 (package-format section 4).
#pragma once

#include <wgk/status.hpp>

#include "package/model.h"
#include "package/node.h"

namespace wgk::package::v2 {

/// Normalises a parsed manifest without comments. Errors: kPackage.
Result<Manifest> read_manifest(const Document& document, std::vector<std::string>& warnings);

}  // namespace wgk::package::v2
