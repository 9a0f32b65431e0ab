// Showing the place of an error inside a one-line text such as an expression.
#pragma once

#include <string>
#include <string_view>

namespace wgk::base {

/// Two further lines for a message: the line of `expression` that `reason` points at, and a caret below the place. The
/// place is the column that `reason` ends with ("… at column 7", in bytes from 1), or the first identifier that it
/// calls unknown. Empty when `reason` names neither, or a place outside the text. Starts with a line end.
std::string excerpt(std::string_view expression, std::string_view reason);

}  // namespace wgk::base
