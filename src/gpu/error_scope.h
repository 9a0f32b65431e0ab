// Turning WebGPU errors into Status values.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <wgk/status.hpp>

#include "gpu/context.h"

namespace wgk::gpu {

/// A kDevice error.
Error device_error(std::string message);

/// The error every call returns on a lost device; ok while it is not lost.
Status check_not_lost(const DeviceContext& context);

/// The implementation's message without its frame ("Validation Error", "Caused by:", the name of the C function), with
/// the indentation that this frame had removed.
std::string tidy_message(std::string_view message);

/// Catches the errors of the WebGPU calls made until `end`, and keeps other threads from opening scopes on the device.
/// There is no scope for internal errors, because
/// wgpu-native ends the process when asked for one; those reach DeviceEvents, which `end` looks at too.
class ErrorScope {
 public:
  explicit ErrorScope(DeviceContext& context);
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;

  /// Ends the scope: the first error that occurred, as "⟨what⟩: ⟨text⟩".
  Status end(std::string_view what);

 private:
  Status pop(std::string_view what);

  DeviceContext& context_;
  std::unique_lock<std::recursive_mutex> lock_;
  int open_ = 0;
};

/// Runs `create` in a scope of its own. Error: what the scope caught, or that nothing came back.
template <typename Owner, typename Create>
Result<Owner> create_checked(DeviceContext& context, std::string_view what, Create&& create) {
  ErrorScope scope(context);
  Owner object(std::forward<Create>(create)());
  if (Status status = scope.end(what); !status.ok()) return std::move(status).error();
  if (!object) return device_error(std::string(what) + ": the WebGPU implementation returned nothing");
  return object;
}

}  // namespace wgk::gpu
