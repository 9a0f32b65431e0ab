// The steps of reading a 1.0 manifest, in the order they run.
#pragma once

#include "package/model.h"
#include "package/parts.h"

namespace wgk::package::v1 {

/// inputs, outputs and args: ports in the order of inputs, then outputs; scalars in the order of args.
Status read_call_side(const Node& root, Manifest& manifest);
/// Port::scope_names of every port (package-format 6.8, "Tensor names in 1.0"). `roles[i]` is the arg role of port i.
void name_ports(Manifest& manifest, const std::vector<std::string>& roles);
/// constants, bindingSets and variants.
Status read_variants(const Node& root, Manifest& manifest);

}  // namespace wgk::package::v1
