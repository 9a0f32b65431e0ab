// Variant families of dialect 2.1: one description, many variants (package-format 4.5).
#pragma once

#include <deque>
#include <vector>

#include "package/node.h"

namespace wgk::package::v2 {

/// The expanded list of variants. Owns the JSON that substitution made; nodes point into it or into the manifest.
struct ExpandedVariants {
  std::deque<Json> made;
  std::vector<Node> nodes;
};

/// Expands every family of `variants` in place. A node of an expanded variant has the pointer of its template.
Result<ExpandedVariants> expand_families(const Node& variants);

}  // namespace wgk::package::v2
