// Putting a result into a file.
#pragma once

#include <string>
#include <string_view>

#include <wgk/status.hpp>

namespace wgk::cli {

/// Writes `text` to `file`. A regular or new file is written beside its place and renamed, so that no reader sees half
/// of it; a symbolic link is followed and the mode of an existing file kept. A device or pipe is written in place:
/// renaming over it would destroy it. Error: kUsage, "<file>: <reason>".
Status write_file(std::string_view text, const std::string& file);

}  // namespace wgk::cli
