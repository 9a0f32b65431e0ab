// Where the tuning file is.
#pragma once

#include <memory>
#include <string>

#include <wgk/status.hpp>
#include <wgk/tuning.hpp>

namespace wgk::cli {

/// `option` where given; else WGK_TUNING where set; else tuning.json in $XDG_DATA_HOME/wgk, ~/.local/share/wgk or, on
/// Windows, %LOCALAPPDATA%\wgk. Empty where there is no such place, or the choice is "none".
std::string tuning_path(const std::string& option);

/// The file's entries. Null where there is no file; a file that was asked for must exist. Error: kUsage.
Result<std::shared_ptr<const Tuning>> load_tuning(const std::string& option);

}  // namespace wgk::cli
