// The quick way through JSON that is as it should be.
#pragma once

#include <string_view>

#include "base/json.h"

namespace wgk::base {

/// Gives all values of `text` to `sink`. False where the text has anything that the strict reader refuses or treats in
/// a way of its own: the sink then has part of the values, and the strict reader decides.
bool read_json_quickly(std::string_view text, JsonSink& sink);

}  // namespace wgk::base
