// Values in messages and in explain output: JSON-like and short, whatever the package made them.
#pragma once

#include <string>

#include "jinja/value.h"

namespace wgk::plan {

/// Longest text brief_text gives; longer ones are cut and end in an ellipsis.
inline constexpr std::size_t kMaxBriefBytes = 512;

/// `false`, `undefined`, `null`, `1`, `"a"`, `[1, 2]`, `{"a": 1}`. Work and length are bounded, unlike display_text.
std::string brief_text(const jinja::Value& value);

/// The same without spaces after commas and colons, as JSON.stringify prints.
std::string compact_text(const jinja::Value& value);

}  // namespace wgk::plan
