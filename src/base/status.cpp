// Names of error codes and the library's version.
#include <wgk/status.hpp>
#include <wgk/version.hpp>

namespace wgk::inline v0 {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCheckFailed: return "check";
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kPackage: return "package";
    case ErrorCode::kRequest: return "request";
    case ErrorCode::kDevice: return "device";
  }
  return "usage";
}

#define WGK_STRINGIFY_INNER(x) #x
#define WGK_STRINGIFY(x) WGK_STRINGIFY_INNER(x)

const char* version_string() {
  return WGK_STRINGIFY(WGK_VERSION_MAJOR) "." WGK_STRINGIFY(WGK_VERSION_MINOR) "." WGK_STRINGIFY(WGK_VERSION_PATCH);
}

}  // namespace wgk::inline v0
