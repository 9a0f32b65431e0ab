// Text from strangers made fit to be shown: in an error message, on a terminal, in a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wgk::base {

/// `text` with every control character, and every character that reorders or hides its neighbours, written as an escape
/// ("\x1b", "\u202e"), cut behind a whole character with "..." when it is longer than `max_bytes`. With `keep_lines`,
/// line ends and tabs stay.
std::string visible(std::string_view text, std::size_t max_bytes, bool keep_lines = false);

}  // namespace wgk::base
