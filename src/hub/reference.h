// The parts of package references that other files of this layer need.
#pragma once

#include <optional>
#include <string_view>

#include <wgk/hub.hpp>

namespace wgk::hub {

/// 40 hexadecimal digits.
bool is_commit(std::string_view text);

/// N of "vN", N >= 1 and without leading zeros.
std::optional<int> version_of(std::string_view revision);

/// Whether an owner or name may be one: it becomes part of a path and of a URL.
bool is_repository_part(std::string_view text);

/// Error: kUsage, when the owner is not trusted.
Status check_trusted(const PackageReference& reference, bool trust);

}  // namespace wgk::hub
