// Attributes, scalar arguments and tunables of a call (package-format 10.2 and 10.3).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/status.hpp>

#include "jinja/value.h"
#include "package/model.h"

namespace wgk::plan {

/// The `attrs` namespace: defaults overlaid with the call's attributes, after every check. Error: kRequest.
Result<jinja::Value> bind_attributes(const package::Manifest& manifest, const Attributes& given);

/// The `args` namespace: the scalar arguments that were given. Unknown and missing ones are bind_request's matter.
/// Error: kRequest.
Result<jinja::Value> bind_scalars(const package::Manifest& manifest, const Attributes& given);

using TunableOverrides = std::map<std::string, AttributeValue, std::less<>>;

/// Every override names a tunable of the manifest or of a variant and is a finite number, string or bool.
Status check_tunable_overrides(const package::Manifest& manifest, const TunableOverrides& overrides);

/// The `tunables` namespace: `manifest`, then `variant` (nullptr before selection), then the overrides of those names.
jinja::Value merge_tunables(const std::vector<package::Tunable>& manifest, const std::vector<package::Tunable>* variant,
                            const TunableOverrides& overrides);

}  // namespace wgk::plan
