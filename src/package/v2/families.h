// Variant families of dialect 2.1: one description, many variants (package-format 4.5).
#pragma once

#include <vector>

#include "package/node.h"

namespace wgk::package::v2 {

/// Expands every family of `variants` in place. What it makes lies in the context's arena. A node of an expanded
/// variant has the place of its template.
Result<std::vector<Node>> expand_families(const Node& variants);

}  // namespace wgk::package::v2
