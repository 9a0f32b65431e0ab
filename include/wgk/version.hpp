// The version of the headers; version_string() is that of the library.
#pragma once

#include <wgk/export.hpp>

#define WGK_VERSION_MAJOR 0
#define WGK_VERSION_MINOR 1
#define WGK_VERSION_PATCH 0

namespace wgk::inline v0 {

/// "0.1.0". Static storage.
WGK_API const char* version_string();

}  // namespace wgk::inline v0
